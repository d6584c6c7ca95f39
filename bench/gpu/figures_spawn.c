/* SPDX-License-Identifier: MIT */
/* figures_spawn.c - tasks that spawn tasks: how many empty ones a full card spawns and runs per second; the time from a
 * task's spawn to its start on another worker; and how evenly a tree search keeps workers busy. */
#include "figures.h"
#include "site.h"
#include "spawn_bodies.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PER_SM = 32 }; /* blocks that an SM holds */

/* ---- a table of its own ---- */

typedef struct spawning {
    live l;
    spawn_params params;
    spawn_args root;
    uint32_t body, n_roots, n_cells;
    uint64_t n_tasks, n_silent; /* of a run; of these, tasks that do not count themselves */
} spawning;

static int spawning_open(bench *b, spawning *s, const setting *at, uint32_t n_samples)
{
    heddle_status bad = HEDDLE_OK;
    if (live_open(b, &s->l, at, 0))
        return -1;
    s->n_cells = (uint32_t)b->card.n_sms * MOST_PER_SM;
    bad = heddle_mem_new(s->l.ctx, s->n_cells * sizeof *s->params.cells, (void **)&s->params.cells);
    if (bad == HEDDLE_OK)
        bad = heddle_mem_new(s->l.ctx, n_samples * sizeof *s->params.samples, (void **)&s->params.samples);
    if (bad == HEDDLE_OK)
        bad = heddle_graph_new(s->l.ctx, &spawned, &s->l.graph);
    for (uint32_t i = 0; bad == HEDDLE_OK && i < s->n_roots; i++)
        bad = heddle_graph_add(s->l.graph, s->body, &s->root, sizeof s->root, NULL, 0, NULL);
    s->l.record = &s->params;
    s->l.record_bytes = sizeof s->params;
    return bench_heddle(b, s->l.ctx, bad, "making the graph");
}

static void spawning_close(spawning *s)
{
    heddle_graph_free(s->l.graph);
    if (s->l.ctx) {
        heddle_mem_free(s->l.ctx, s->params.cells);
        heddle_mem_free(s->l.ctx, s->params.samples);
    }
    live_close(&s->l);
}

/* ---- empty children ---- */

/* A chain of fans per root. */
static void set_fans(spawning *s, uint32_t n_roots, uint64_t n_tasks)
{
    s->body = spawn_fan;
    s->n_roots = n_roots;
    s->root.left = (uint32_t)(n_tasks / SPAWN_FAN / n_roots);
    s->n_silent = n_roots * (s->root.left + 1ull);
    s->n_tasks = n_roots + s->n_silent * SPAWN_FAN;
}

/* One tree of 2^levels - 1 tasks. */
static void set_tree(spawning *s, uint32_t levels)
{
    s->body = spawn_pair;
    s->n_roots = 1;
    s->root.left = levels - 1;
    s->n_tasks = (1ull << levels) - 1;
}

/* A run of children that count themselves, each in its worker's cell. */
static int count_children(bench *b, spawning *s)
{
    const uint64_t n_bytes = s->n_cells * sizeof(spawn_cell);
    spawn_cell *cells = calloc(s->n_cells, sizeof *cells);
    uint64_t n = s->n_silent;
    int bad = cells ? 0 : bench_say(b, "out of memory");
    s->params.child = spawn_counted;
    bad = bad || bench_heddle(b, s->l.ctx, heddle_mem_write(s->l.ctx, s->params.cells, cells, n_bytes), "clearing") ||
          live_run(b, &s->l, NULL, NULL) ||
          bench_heddle(b, s->l.ctx, heddle_mem_read(s->l.ctx, cells, s->params.cells, n_bytes), "counting");
    for (uint32_t i = 0; !bad && i < s->n_cells; i++)
        n += cells[i].n;
    free(cells);
    if (!bad && n != s->n_tasks)
        bad = bench_say(b, "%llu of %llu tasks have run", (unsigned long long)n, (unsigned long long)s->n_tasks);
    return bad ? -1 : 0;
}

/* After the samples, one more run checks the library's counts. */
static int time_children(bench *b, spawning *s, times *t)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    s->params.child = spawn_empty;
    if (live_first(b, &s->l, t) || live_sample(b, &s->l, N_SAMPLES, t) || live_run(b, &s->l, NULL, NULL) ||
        bench_heddle(b, s->l.ctx, heddle_graph_get_stats(s->l.graph, &stats), "statistics"))
        return -1;
    return stats.n_tasks == s->n_tasks ? 0
                                       : bench_say(b, "%llu of %llu tasks have run", (unsigned long long)stats.n_tasks,
                                                   (unsigned long long)s->n_tasks);
}

/* Millions of tasks per second, 0 = unknown. */
static double spawn_rate(bench *b, const setting *at, const char *name, spawning *s)
{
    setting_text text;
    char variant[96];
    row r = {"spawn", at->subject->name, variant, "Mtasks/s", "spawned, run, counted"};
    sample rate = {{0}, 0};
    times t;
    int bad;
    snprintf(variant, sizeof variant, "%s %s", name, setting_name(&text, at));
    bad = bench_late(b) ? bench_no_time(b)
                        : spawning_open(b, s, at, 1) || count_children(b, s) || time_children(b, s, &t);
    for (uint32_t i = 0; !bad && i < times_best(&t)->n; i++)
        sample_add(&rate, (double)s->n_tasks / times_best(&t)->value[i]);
    if (bad)
        bench_missing(b, r);
    else
        bench_row(b, r, &rate, 1);
    spawning_close(s);
    return bad ? 0 : sample_median(&rate);
}

/* A chain of fans per worker. */
static double fan_rate(bench *b, const setting *at)
{
    spawning s = {.n_roots = 0};
    set_fans(&s, (uint32_t)b->card.n_sms * (at->per_sm ? at->per_sm : 1), b->quick ? 50000 : 12000000);
    return spawn_rate(b, at, "empty child", &s);
}

static double tree_rate(bench *b, const setting *at)
{
    spawning s = {.n_roots = 0};
    set_tree(&s, b->quick ? 15 : 23);
    return spawn_rate(b, at, "binary tree", &s);
}

/* ---- from spawning to starting ---- */

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The relays that started on another worker: their median in us, and their share of all. */
static int read_relays(bench *b, spawning *s, spawn_sample *samples, uint32_t *ns, double *us, double *share)
{
    const uint32_t n = s->root.left; /* the first task was not spawned */
    uint32_t n_else = 0;
    if (bench_heddle(b, s->l.ctx, heddle_mem_read(s->l.ctx, samples, s->params.samples, n * sizeof *samples),
                     "samples"))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (samples[i].from != samples[i].to)
            ns[n_else++] = samples[i].ns;
    *share = (double)n_else / n;
    if (n_else == 0)
        return bench_refuse(b, "all started on the worker that had spawned them");
    qsort(ns, n_else, sizeof *ns, by_size);
    *us = 1e-3 * ns[n_else / 2];
    return 0;
}

static int time_relays(bench *b, spawning *s, sample *us, sample *share)
{
    const uint32_t n = s->root.left;
    spawn_sample *samples = calloc(n, sizeof *samples);
    uint32_t *ns = calloc(n, sizeof *ns);
    int bad = samples && ns ? 0 : bench_say(b, "out of memory");
    for (int run = 0; !bad && run <= N_SAMPLES; run++) {
        double one_us = 0, one_share = 0;
        bad = live_run(b, &s->l, NULL, NULL) || read_relays(b, s, samples, ns, &one_us, &one_share);
        if (!bad && run) {
            sample_add(us, one_us);
            sample_add(share, 100 * one_share);
        }
    }
    free(samples);
    free(ns);
    return bad;
}

/* Median of a chain's relays, in us; 0 = unknown, or too few started elsewhere. */
static double spawn_to_start(bench *b, const setting *at)
{
    const double most_stay = 10; /* percent, for the goal */
    setting_text text;
    char variant[96];
    row r = {"spawn", at->subject->name, variant, "us", "median of a chain's tasks that started elsewhere"};
    sample us = {{0}, 0}, share = {{0}, 0};
    spawning s = {.body = spawn_relay, .n_roots = 1, .root = {0, b->quick ? 200 : 4000, 0}};
    int bad;
    s.params.busy_ns = 5000;
    snprintf(variant, sizeof variant, "start on another worker %s", setting_name(&text, at));
    bad =
        bench_late(b) ? bench_no_time(b) : spawning_open(b, &s, at, s.root.left + 1) || time_relays(b, &s, &us, &share);
    spawning_close(&s);
    if (bad) {
        bench_missing(b, r);
        return 0;
    }
    bench_row(b, r, &us, 1);
    r.unit = "%";
    r.note = "of all started elsewhere";
    bench_row(b, r, &share, 1);
    return sample_median(&share) >= 100 - most_stay ? sample_median(&us) : 0;
}

void figure_spawn(bench *b)
{
    setting at[MOST_SETTINGS];
    double bare = handover_us(b), most = 0, least = 0, tree = 0;
    size_t n = settings_read(b, "dynamic:1:32 dynamic:1:128 | dynamic:4:128 lrr:1:32", at, MOST_SETTINGS);
    for (size_t i = 0; i < n; i++) {
        double us;
        b->extra = at[i].extra;
        us = spawn_to_start(b, &at[i]);
        least = us > 0 && (least == 0 || us < least) ? us : least;
    }
    n = settings_read(b, "dynamic:8:32 dynamic:12:32 dynamic:14:32 dynamic:4:128 | dynamic:1:32 dynamic:4:32", at,
                      MOST_SETTINGS);
    for (size_t i = 0; i < n; i++) {
        double rate;
        b->extra = at[i].extra;
        rate = tree_rate(b, &at[i]);
        tree = rate > tree ? rate : tree;
    }
    n = settings_read(
        b,
        "dynamic:8:32 dynamic:12:32 dynamic:4:128 | dynamic:1:32 share:4:32 lf:4:32 al:4:32 ts:4:32 rr:4:32 "
        "lrr:4:32 scheduler/rr:1:64 central:1:64",
        at, MOST_SETTINGS);
    for (size_t i = 0; i < n; i++) {
        double rate;
        b->extra = at[i].extra;
        rate = fan_rate(b, &at[i]);
        most = rate > most ? rate : most;
    }
    bench_goal(b, "spawn + run of an empty child", "Mtasks/s", most, 1, 200);
    bench_goal(b, "binary tree of empty tasks", "Mtasks/s", tree, 1, 1500);
    bench_goal(b, "spawn to start on another worker", "us", least, -1, 1.4);
    if (bare > 0 && least > 0)
        bench_value(b, (row){"spawn", "start / bare hand-over", "-", "x", NULL}, least / bare);
}

/* ---- tree search ---- */

enum { MOST_BALANCED = 5, BALANCED_RUNS = 5 };
static const double near_quickest = 1.25; /* settings within this factor of the quickest count for the balance */

typedef struct tree {
    const char *name;
    double n_nodes;
} tree;

/* A tree under a setting that has been timed. */
typedef struct walk {
    setting at;
    double us;
    uint32_t n_trace; /* room for a worker's events */
} walk;

typedef struct walks {
    const tree *tree;
    walk list[MOST_SETTINGS];
    size_t n;
} walks;

typedef struct tree_request {
    app_request q;
    app_pair opts[2];
} tree_request;

static const app_request *request_of(const bench *b, tree_request *r, const tree *tree)
{
    r->opts[0] = (app_pair){"tree", tree->name};
    r->opts[1] = (app_pair){"depth", "6"}; /* for quick runs */
    r->q = (app_request){.opts = r->opts, .n_opts = b->quick ? 2 : 1};
    return &r->q;
}

static const char *walk_name(char text[96], const tree *tree, const setting *at)
{
    setting_text name;
    snprintf(text, 96, "%s %s", tree->name, setting_name(&name, at));
    return text;
}

/* ---- its time ---- */

/* stats: those of one more run. */
static int time_tree(bench *b, site *x, const setting *at, times *t, heddle_stats *stats)
{
    times again;
    if (bench_late(b))
        return bench_no_time(b);
    if (site_time(b, x, at, SITE_RESETS, t) || site_check(b, x, &again))
        return -1;
    return bench_heddle(b, x->l.ctx, heddle_graph_get_stats(x->l.graph, stats), "statistics");
}

static void run_tree(bench *b, site *x, const setting *at, walks *to)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    char variant[96];
    times t;
    double us;
    row r = {"uts", at->subject->name, walk_name(variant, to->tree, at), "us", "nodes counted"};
    if (time_tree(b, x, at, &t, &stats)) {
        bench_missing(b, r);
        return;
    }
    us = sample_median(times_best(&t));
    bench_row(b, r, times_best(&t), 1);
    if (!b->quick) {
        r.unit = "Mnodes/s";
        bench_value(b, r, to->tree->n_nodes / us);
    }
    to->list[to->n++] = (walk){*at, us, 1024 + 4 * (uint32_t)(stats.n_tasks / stats.n_workers)};
}

static void walk_all(bench *b, const char *list, walks *to)
{
    setting at[MOST_SETTINGS];
    size_t n = settings_read(b, list, at, MOST_SETTINGS);
    tree_request r;
    site x;
    if (site_open(b, &x, "uts", NULL, request_of(b, &r, to->tree), &at[0], 0))
        bench_missing(b, (row){"uts", to->tree->name, "-", "us", NULL});
    else
        for (size_t i = 0; i < n; i++) {
            b->extra = at[i].extra;
            run_tree(b, &x, &at[i], to);
        }
    site_close(&x);
}

/* ---- its balance ---- */

/* From a traced run. */
typedef struct bodies {
    double balance, share; /* a worker's time in bodies: the longest over the mean; the mean over the run's time */
} bodies;

static int read_bodies(bench *b, const live *l, bodies *out)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_worker_stats w;
    double most = 0, sum = 0;
    if (bench_heddle(b, l->ctx, heddle_graph_get_stats(l->graph, &stats), "statistics"))
        return -1;
    if (stats.n_dropped)
        return bench_refuse(b, "the trace lost events");
    for (uint32_t i = 0; i < stats.n_workers; i++) {
        if (bench_heddle(b, l->ctx, heddle_graph_get_worker_stats(l->graph, i, &w), "statistics of a worker"))
            return -1;
        most = (double)w.body_ns > most ? (double)w.body_ns : most;
        sum += (double)w.body_ns;
    }
    if (sum <= 0)
        return bench_refuse(b, "no time in bodies");
    *out = (bodies){most * stats.n_workers / sum, sum / stats.n_workers / (double)stats.run_ns};
    return 0;
}

static int sample_bodies(bench *b, const walks *from, const walk *w, sample *balance, sample *share)
{
    tree_request r;
    site x;
    int bad = site_open(b, &x, "uts", NULL, request_of(b, &r, from->tree), &w->at, w->n_trace);
    for (uint32_t run = 0; !bad && run < BALANCED_RUNS; run++) {
        bodies got = {0, 0};
        times t;
        bad = site_check(b, &x, &t) || read_bodies(b, &x.l, &got);
        if (!bad) {
            sample_add(balance, got.balance);
            sample_add(share, got.share);
        }
    }
    site_close(&x);
    return bad;
}

/* Median of some traced runs; 0 = unknown. least: the quickest time. */
static double balance_of(bench *b, const walks *from, const walk *w, double least)
{
    sample balance = {{0}, 0}, share = {{0}, 0};
    char variant[96], note[128];
    row r = {"uts", w->at.subject->name, walk_name(variant, from->tree, &w->at), "max/mean", note};
    if (bench_late(b) ? bench_no_time(b) : sample_bodies(b, from, w, &balance, &share)) {
        bench_missing(b, r);
        return 0;
    }
    snprintf(note, sizeof note,
             "time in bodies, over workers; on average %.1f %% of the run; untraced %.5g us, %.3f x the quickest",
             100 * sample_median(&share), w->us, w->us / least);
    bench_row(b, r, &balance, 1);
    return sample_median(&balance);
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const walk *)a)->us, y = ((const walk *)b)->us;
    return (x > y) - (x < y);
}

/* The least balance of the n_most quickest walks with several queues, as far as they are not much slower than the
 * quickest; `where` names it. */
static double best_balance(bench *b, walks *from, uint32_t n_most, char where[160])
{
    double least = 0, best = 0;
    b->extra = 0;
    qsort(from->list, from->n, sizeof *from->list, by_time);
    for (size_t i = 0; i < from->n && n_most; i++) {
        const walk *w = &from->list[i];
        char name[96];
        double balance;
        if (w->at.subject->rank == RANK_CENTRAL)
            continue;
        least = least > 0 ? least : w->us;
        if (w->us > near_quickest * least)
            break;
        balance = balance_of(b, from, w, least);
        n_most--;
        if (balance > 0 && (best == 0 || balance < best)) {
            best = balance;
            snprintf(where, 160, "%s %s, %.3f x the quickest's time", w->at.subject->name,
                     walk_name(name, from->tree, &w->at), w->us / least);
        }
    }
    return best;
}

static const char *const many_walks =
    "share:8:64 share:4 dynamic:8:64 dynamic:4 share:2 lf:2 | share:1 lf:8:64 share:8:32 "
    "share:8:128 dynamic:8:32 dynamic:8:128 lf:4 al:2 ts:2 share:1:256 lf:1 dynamic:2 "
    "scheduler/al:1 central:1";
static const char *const few_walks = "share:1 lf:1 share:2 | lf:2 share:4 al:2 dynamic:2 central:1";

static void other_tree(bench *b, const char *name, double n_nodes)
{
    const tree t = {name, n_nodes};
    walks all = {.tree = &t, .n = 0};
    char where[160];
    walk_all(b, few_walks, &all);
    best_balance(b, &all, 1, where);
}

void figure_uts(bench *b)
{
    static const tree large = {"T1L", 102181082};
    walks all = {.tree = &large, .n = 0};
    char where[160] = "";
    double balance;
    walk_all(b, many_walks, &all);
    balance = best_balance(b, &all, MOST_BALANCED, where);
    other_tree(b, "T1", 4130071);
    if (!b->quick)
        other_tree(b, "T3", 4112897);
    bench_goal_where(b, "uts T1L, time in bodies, max/mean over workers", "x", balance, -1, 1.05, where);
}
