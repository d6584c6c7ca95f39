/* SPDX-License-Identifier: MIT */
/* figures_tasks.c - how much of the card tasks of a given length use: uniform, uneven, long ones.
 *
 * Efficiency is the lower bound of any order of the tasks, max(longest path, work / places), over the time taken. For
 * uniform tasks all subjects have the same places: each block takes so much shared memory that an SM holds per_sm of
 * them. */
#include "figures.h"
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shared memory with which an SM holds per_sm blocks; what the library and its kernels use comes on top. */
static uint32_t shared_for(const bench *b, uint32_t per_sm)
{
    const size_t own = 3072;
    size_t n_bytes = b->card.shared_per_sm / per_sm;
    if (n_bytes < b->card.shared_reserved + own)
        return 0;
    n_bytes -= b->card.shared_reserved;
    if (n_bytes > b->card.shared_per_block)
        n_bytes = b->card.shared_per_block;
    return (uint32_t)((n_bytes - own) / 128 * 128);
}

static double bound_us(const bench *b, const shape *s, uint32_t per_sm, double each_us)
{
    double path = (double)shape_path(s), work = (double)shape_tasks(s) / ((double)b->card.n_sms * per_sm);
    return each_us * (path > work ? path : work);
}

/* ---- efficiency ---- */

static const uint32_t sizes_ns[] = {200, 500, 800, 1000, 2000, 5000, 7000, 10000, 20000, 50000};
enum { N_SIZES = sizeof sizes_ns / sizeof *sizes_ns };

/* Efficiency of a subject at each size; 0 = not measured. */
typedef struct curve {
    setting at;
    double efficiency[N_SIZES];
} curve;

/* One graph for all sizes: the app's params set the task's length. */
static int time_curve(bench *b, const shape *s, curve *c, uint32_t per_sm)
{
    const runner *runner = c->at.subject->runner;
    const problem p = {s, NULL};
    setting_text text;
    void *self = NULL;
    int bad;
    b->extra = c->at.extra;
    bad = runner->open(b, &c->at, &p, &self);
    for (size_t i = 0; !bad && i < N_SIZES; i++) {
        char variant[96];
        row r = {"efficiency", c->at.subject->name, variant, "of bound", NULL};
        double bound = bound_us(b, s, per_sm, 1e-3 * sizes_ns[i]);
        sample e = {{0}, 0};
        times t;
        snprintf(variant, sizeof variant, "%s %s %uns", s->name, setting_name(&text, &c->at), sizes_ns[i]);
        bad = bench_late(b) ? bench_no_time(b) : runner->run(b, self, sizes_ns[i], 5, &t);
        if (bad) {
            bench_missing(b, r);
            break;
        }
        for (uint32_t k = 0; k < times_best(&t)->n; k++)
            sample_add(&e, bound / times_best(&t)->value[k]);
        c->efficiency[i] = sample_median(&e);
        bench_row(b, r, &e, 1);
    }
    runner->close(self);
    return bad;
}

/* The smallest task, in us, from which on the curve stays above `share`, interpolated on a logarithmic scale; 0 if it
 * never does. */
static double smallest_us(const curve *c, double share)
{
    for (size_t i = N_SIZES; i-- > 0;) {
        double above, below, at;
        if (c->efficiency[i] >= share)
            continue;
        if (i + 1 == N_SIZES)
            return 0;
        below = c->efficiency[i];
        above = c->efficiency[i + 1];
        if (below <= 0)
            return 0;
        at = (share - below) / (above - below);
        return 1e-3 * exp(log(sizes_ns[i]) + at * (log(sizes_ns[i + 1]) - log(sizes_ns[i])));
    }
    return 1e-3 * sizes_ns[0];
}

static void row_smallest(bench *b, const shape *s, const curve *c, double share)
{
    setting_text text;
    char variant[96];
    row r = {"smallest-task", c->at.subject->name, variant, "us", NULL};
    double us = smallest_us(c, share);
    snprintf(variant, sizeof variant, "%s %s at %.0f%%", s->name, setting_name(&text, &c->at), 100 * share);
    if (us > 0) {
        bench_value(b, r, us);
        return;
    }
    bench_refuse(b, "beyond the sizes measured");
    bench_missing(b, r);
}

/* The best curve of persistent over the best baseline, at its weakest size. */
static double weakest_ratio(const curve *curves, size_t n)
{
    double weakest = 0;
    for (size_t i = 0; i < N_SIZES; i++) {
        double mine = 0, theirs = 0;
        for (size_t c = 0; c < n; c++) {
            double *best = is_persistent(&curves[c].at) ? &mine : &theirs;
            if (curves[c].efficiency[i] > *best)
                *best = curves[c].efficiency[i];
        }
        if (mine > 0 && theirs > 0 && (weakest == 0 || mine / theirs < weakest))
            weakest = mine / theirs;
    }
    return weakest;
}

static void goals_of_curves(bench *b, const shape *s, const curve *curves, size_t n)
{
    double at50 = 0, at90 = 0;
    char name[64];
    for (size_t c = 0; c < n; c++) {
        double us50 = smallest_us(&curves[c], 0.5), us90 = smallest_us(&curves[c], 0.9);
        row_smallest(b, s, &curves[c], 0.5);
        row_smallest(b, s, &curves[c], 0.9);
        if (curves[c].at.subject->rank != RANK_PLAN)
            continue;
        at50 = us50 > 0 && (at50 == 0 || us50 < at50) ? us50 : at50;
        at90 = us90 > 0 && (at90 == 0 || us90 < at90) ? us90 : at90;
    }
    snprintf(name, sizeof name, "smallest task at 50 %%, %s", s->name);
    bench_goal(b, name, "us", at50, -1, 0.8);
    snprintf(name, sizeof name, "smallest task at 90 %%, %s", s->name);
    bench_goal(b, name, "us", at90, -1, 7);
    snprintf(name, sizeof name, "efficiency / best baseline, %s", s->name);
    bench_goal(b, name, "x", weakest_ratio(curves, n), 1, 0.98);
}

static void efficiency_of(bench *b, shape *s, uint32_t per_sm, const char *list)
{
    setting at[MOST_SETTINGS];
    curve curves[MOST_SETTINGS];
    size_t n;
    s->shared_bytes = b->backend == HEDDLE_CUDA ? shared_for(b, per_sm) : 0;
    n = settings_verified(b, "efficiency", s, list, at);
    for (size_t i = 0; i < n; i++) {
        curves[i] = (curve){at[i], {0}};
        time_curve(b, s, &curves[i], per_sm);
    }
    goals_of_curves(b, s, curves, n);
}

void figure_efficiency(bench *b)
{
    shape wave = {"wave72", SHAPE_WAVE, b->quick ? 16 : 72, timed_spin, NULL, NULL, {0, 0}, 0};
    shape lu = {"lu32", SHAPE_LU, b->quick ? 8 : 32, timed_spin, NULL, NULL, {0, 0}, 0};
    shape wide = {"wave256", SHAPE_WAVE, b->quick ? 24 : 256, timed_spin, NULL, NULL, {0, 0}, 0};
    const char *one =
        "static:1 graph+pdl/by-body graph/by-body | lf:1 dynamic:1 share:1 lrr:1 levels/by-body taskgraph";
    const char *four = "static:4 graph+pdl/by-body graph/by-body | lf:4";
    efficiency_of(b, &wave, 1, one);
    efficiency_of(b, &lu, 1, one);
    lu.name = "lu32 4 an SM";
    efficiency_of(b, &lu, 4, four);
    efficiency_of(b, &wide, 1, "static:1 graph+pdl/by-body graph/by-body | lf:1");
}

/* ---- uneven tasks ---- */

/* Each task's time in a traced run; joins keep 0. */
static int read_costs(bench *b, live *l, uint32_t *ns, uint64_t n)
{
    heddle_event *events = NULL;
    size_t n_events = 0;
    if (bench_heddle(b, l->ctx, heddle_graph_get_events(l->graph, NULL, 0, &n_events), "events"))
        return -1;
    if (n_events != n)
        return bench_refuse(b, "the trace lost events");
    events = malloc(n_events * sizeof *events);
    if (!events)
        return bench_say(b, "out of memory");
    heddle_graph_get_events(l->graph, events, n_events, &n_events);
    for (size_t i = 0; i < n_events; i++)
        if (events[i].task < n)
            ns[events[i].task] = (uint32_t)(events[i].end_ns - events[i].begin_ns);
    free(events);
    return 0;
}

/* A profile: task times in a traced run without one. The shapes need no joins, so task numbers have no gaps. */
static int profile(bench *b, const shape *s, const setting *at, uint32_t *ns)
{
    uint32_t n_workers = (uint32_t)b->card.n_sms * (at->per_sm ? at->per_sm : 1);
    uint32_t n_trace = 256 + 4 * (uint32_t)shape_tasks(s) / n_workers; /* without costs, a plan may balance badly */
    live l;
    int bad = live_open(b, &l, at, n_trace) || live_shape(b, &l, s) || live_run(b, &l, NULL, NULL) ||
              read_costs(b, &l, ns, shape_tasks(s));
    live_close(&l);
    return bad;
}

static void measure_profiled(bench *b, const measure *m, const shape *s, const setting *at, scores *to)
{
    char variant[96];
    measure profiled = *m;
    shape told = *s;
    uint32_t *ns = calloc(shape_tasks(s), sizeof *ns);
    setting_text text;
    if (!ns)
        return;
    snprintf(variant, sizeof variant, "%s profiled", m->variant);
    profiled.variant = variant;
    told.cost_ns = ns;
    if (profile(b, s, at, ns))
        bench_missing(b, (row){m->figure, at->subject->name, setting_name(&text, at), m->unit, NULL});
    else
        measure_shape(b, &profiled, &told, at, 0, to);
    free(ns);
}

static const char *const uneven_settings = "static:1 static:2 share:1 graph+pdl/by-body taskgraph | static:4 dynamic:4 "
                                           "lf:1 share:4 graph/by-body levels/by-body "
                                           "static:8 lf:4 iqs/lrr:4";

/* One graph, one seed: the best of persistent over the best baseline, without and with a profile; 0 = unknown. */
static void uneven_seed(bench *b, shape *s, uint64_t seed, const setting *at, size_t n, double ratio[2])
{
    scores plain = {.n = 0}, profiled = {.n = 0};
    char variant[64];
    measure m = {"uneven", variant, "us", 0, 1};
    row r = {"uneven", "bound", variant, "us", "longest path"};
    double best, with;
    snprintf(variant, sizeof variant, "%s seed %u", s->name, (unsigned)seed);
    shape_uneven((uint32_t *)(uintptr_t)s->task_ns, shape_tasks(s), 5000, seed);
    bench_value(b, r, 1e-3 * (double)shape_path_ns(s));
    for (size_t i = 0; i < n; i++) {
        measure_shape(b, &m, s, &at[i], 0, &plain);
        if (at[i].subject->rank == RANK_PLAN && !bench_late(b))
            measure_profiled(b, &m, s, &at[i], &profiled);
    }
    best = scores_best(&plain, RANK_BASELINE, NULL);
    with = scores_best_persistent(&profiled);
    ratio[0] = scores_best_persistent(&plain) > 0 ? best / scores_best_persistent(&plain) : 0;
    ratio[1] = with > 0 ? best / with : 0;
}

static void uneven_of(bench *b, shape *s)
{
    enum { N_SEEDS = 5 };
    static const char *const how[] = {"without", "with"};
    uint32_t *ns = calloc(shape_tasks(s), sizeof *ns);
    sample ratios[2] = {{{0}, 0}, {{0}, 0}};
    setting at[MOST_SETTINGS];
    size_t n = settings_verified(b, "uneven", s, uneven_settings, at);
    s->task_ns = ns;
    for (uint64_t seed = 1; ns && seed <= N_SEEDS; seed++) {
        double ratio[2];
        uneven_seed(b, s, seed, at, n, ratio);
        for (int k = 0; k < 2; k++)
            if (ratio[k] > 0)
                sample_add(&ratios[k], ratio[k]);
    }
    for (int k = 0; k < 2; k++) {
        char name[64];
        snprintf(name, sizeof name, "uneven %s, %s a profile", s->name, how[k]);
        bench_goal(b, name, "x", sample_median(&ratios[k]), 1, 1.8);
    }
    s->task_ns = NULL;
    free(ns);
}

void figure_uneven(bench *b)
{
    shape wave = {"wave72", SHAPE_WAVE, b->quick ? 12 : 72, timed_spin, NULL, NULL, {0, 0}, 0};
    shape lu = {"lu32", SHAPE_LU, b->quick ? 8 : 32, timed_spin, NULL, NULL, {0, 0}, 0};
    uneven_of(b, &wave);
    uneven_of(b, &lu);
}

/* ---- a full card ---- */

static void overhead_of(bench *b, const shape *s, uint32_t per_sm, const char *list)
{
    const uint32_t each_ns = 10000;
    setting at[MOST_SETTINGS];
    size_t n = settings_verified(b, "overhead", s, list, at);
    double bound = bound_us(b, s, per_sm, 1e-3 * each_ns), best = 0;
    char name[64];
    for (size_t i = 0; i < n; i++) {
        measure m = {"overhead", s->name, "us", 0, 1};
        double us = measure_shape(b, &m, s, &at[i], each_ns, NULL);
        if (us <= 0)
            continue;
        bench_value(b, (row){"overhead", at[i].subject->name, s->name, "%", "1 - bound / time"},
                    100 * (1 - bound / us));
        if (is_persistent(&at[i]) && (best == 0 || us < best))
            best = us;
    }
    snprintf(name, sizeof name, "overhead at 10 us, %s", s->name);
    /* The clock may be slightly off: times below the bound count as no visible overhead. */
    bench_goal(b, name, "%", best > 0 ? fmax(100 * (1 - bound / best), 0.01) : 0, -1, 2);
}

void figure_overhead(bench *b)
{
    uint32_t n_sms = (uint32_t)b->card.n_sms;
    shape one = {"free, 1 an SM", SHAPE_FREE, n_sms * (b->quick ? 20 : 200), timed_spin, NULL, NULL, {0, 0}, 0};
    shape four = {"free, 4 an SM", SHAPE_FREE, 4 * one.n, timed_spin, NULL, NULL, {0, 0}, 0};
    shape lu = {"lu64, 1 an SM", SHAPE_LU, b->quick ? 10 : 64, timed_spin, NULL, NULL, {0, 0}, 0};
    overhead_of(b, &one, 1, "static:1 | lf:1 dynamic:1 share:1 lrr:1 grr:1 iqs/lrr:1");
    overhead_of(b, &four, 4, "static:4 | lf:4 dynamic:4 share:4 lrr:4");
    overhead_of(b, &lu, 1, "static:1 | lf:1 dynamic:1 share:1");
}
