/* SPDX-License-Identifier: MIT */
/* figures_spawn_apps.c - the applications of the papers on schedulers inside the GPU: heat2d, bfs and slu. heat2d and
 * bfs stand beside the one locked queue at its best number of workers; also beside launches by levels, and bfs beside
 * searches without heddle that go level by level. Each subject may use its best of several settings, all in one run.
 *
 * Graphs and matrices come from the folder HEDDLE_DATA. */
#include "bfs.h"
#include "bfs_case.h"
#include "figures.h"
#include "site.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COUNTS = 9 }; /* numbers of workers tried */

/* One case, and its names in rows. limit_us: lower bound for any order of its tasks; 0 = unknown. */
typedef struct trial {
    const char *figure, *app, *name;
    app_request q;
    site_again again;
    double limit_us;
} trial;

static const char *const launches = "graph+pdl graph levels graph+pdl/by-body graph/by-body "
                                    "levels/by-body graph+pdl:0:256 graph:0:256 graph+pdl:0:64 ";

/* By number of workers: one queue, and tasks that do little, run best with few. */
static size_t settings_counted(const bench *b, const char *name, setting *out)
{
    const uint32_t n_sms = (uint32_t)b->card.n_sms;
    const uint32_t counts[MOST_COUNTS] = {1, 2, 4, n_sms / 16, n_sms / 8, n_sms / 4, n_sms / 2, n_sms, 2 * n_sms};
    size_t n = 0;
    for (size_t i = 0; i < MOST_COUNTS; i++)
        if (n == 0 || counts[i] > out[n - 1].n_workers)
            out[n++] = (setting){subject_find(b, name), 0, 0, 0, counts[i]};
    return n;
}

static size_t all_settings(const bench *b, const char *list, setting *out)
{
    size_t n = settings_read(b, list, out, MOST_SETTINGS - 2 * MOST_COUNTS);
    return n + settings_counted(b, "central", out + n);
}

static void row_of(bench *b, const trial *t, const setting *at, const times *got)
{
    setting_text text;
    char variant[128];
    row r = {t->figure, at->subject->name, variant, "us", got->queued.n ? "" : "one run at a time"};
    snprintf(variant, sizeof variant, "%s %s", t->name, setting_name(&text, at));
    bench_row(b, r, times_best(got), 1);
    r.unit = "of limit";
    r.note = "time over path x (body + bare hand-over)";
    if (t->limit_us > 0)
        bench_value(b, r, sample_median(times_best(got)) / t->limit_us);
}

static void run_setting(bench *b, const trial *t, site *x, const setting *at, scores *to)
{
    setting_text text;
    char variant[128];
    times got;
    b->extra = at->extra;
    if (bench_late(b) ? bench_no_time(b) : site_time(b, x, at, t->again, &got)) {
        snprintf(variant, sizeof variant, "%s %s", t->name, setting_name(&text, at));
        bench_missing(b, (row){t->figure, at->subject->name, variant, "us", NULL});
        return;
    }
    row_of(b, t, at, &got);
    scores_add(to, at, sample_median(times_best(&got)));
}

/* A case under all settings. */
static void run_trial(bench *b, const trial *t, const setting *at, size_t n, scores *to)
{
    site x;
    if (n == 0)
        return;
    if (site_open(b, &x, t->app, NULL, &t->q, &at[0], 0))
        bench_missing(b, (row){t->figure, t->app, t->name, "us", NULL});
    else
        for (size_t i = 0; i < n; i++)
            run_setting(b, t, &x, &at[i], to);
    site_close(&x);
}

static double ratio(double of, double to) { return of > 0 && to > 0 ? of / to : 0; }

static void goal_ratio(bench *b, const char *what, const char *name, double reached, double limit)
{
    char measure[128];
    snprintf(measure, sizeof measure, "%s, %s", name, what);
    bench_goal(b, measure, "x", reached, 1, limit);
}

/* ---- heat2d ---- */

void figure_heat2d(bench *b)
{
    trial t = {"heat2d", "heat2d", "8192 256x256", {.n_opts = 0}, SITE_GOES_ON, 0};
    setting at[MOST_SETTINGS];
    scores all = {.n = 0};
    double best;
    char list[1024];
    if (b->quick) {
        t.name = "256 32x32";
        t.q.n[0] = t.q.n[1] = 256;
        t.q.b[0] = t.q.b[1] = 32;
    }
    snprintf(list, sizeof list,
             "lf:1 al:1 ts:1 rr:1 lrr:1 grr:1 static:1 dynamic:1 scheduler/al:1 scheduler/ts:1 scheduler/rr:1 %s | "
             "scheduler/lf:1 scheduler/lrr:1 scheduler/grr:1 lf:1:256 static:1:256 lf:1:64 static:2 lf:2 share:1 "
             "central:1:256 central:1:64",
             launches);
    run_trial(b, &t, at, all_settings(b, list, at), &all);
    best = scores_best_persistent(&all);
    goal_ratio(b, "best policy over central", t.name, ratio(scores_best(&all, RANK_CENTRAL, NULL), best), 1.5);
    goal_ratio(b, "best policy over the best of launches", t.name, ratio(scores_best(&all, RANK_BASELINE, NULL), best),
               1.0);
}

/* ---- bfs ---- */

/* The best of the searches without heddle, in us; 0 = unknown. */
static double level_searches(bench *b, const trial *t, const bfs_graph *g)
{
#define WAY(name, text, help) text,
    static const char *const names[] = {BFS_WAYS_MAP(WAY)};
#undef WAY
    double us[BFS_N_WAYS], best = 0;
    char error[256];
    row r = {t->figure, "levels without heddle", t->name, "us", NULL};
    if (bfs_baselines(g, N_SAMPLES, us, error)) {
        if (b->backend == HEDDLE_CUDA)
            bench_say(b, "%s", error);
        else
            bench_refuse(b, error);
        bench_missing(b, r);
        return 0;
    }
    for (size_t i = 0; i < BFS_N_WAYS; i++) {
        r.subject = names[i];
        r.note = "without heddle, compared with a serial search";
        bench_value(b, r, us[i]);
        best = best == 0 || us[i] < best ? us[i] : best;
    }
    return best;
}

static double beside_bfs(bench *b, const trial *t, const app_pair *source)
{
    app_request q = t->q;
    app_case *c = NULL;
    bfs_graph g;
    char error[APP_ERROR];
    double best = 0;
    q.opts = source;
    q.n_opts = 1;
    if (bench_late(b))
        bench_no_time(b);
    else if (!(c = app_find("bfs")->prepare(&q, error)))
        bench_refuse(b, error);
    if (c) {
        const input_graph *graph = bfs_graph_of(c, &g.source);
        g.n = graph->n;
        g.begin = graph->begin;
        g.column = graph->column;
        best = level_searches(b, t, &g);
        c->app->free(c);
    } else {
        bench_missing(b, (row){t->figure, "levels without heddle", t->name, "us", NULL});
    }
    return best;
}

/* A graph cut into tasks in several ways: the application's own, the papers', and more. */
typedef struct cut {
    const char *name;
    app_pair opts[3];
    size_t n_opts;
    int extra; /* not needed for a goal */
} cut;
enum { NODE_CUT = 1, N_CUTS = 5 };
static const cut cuts[N_CUTS] = {{"", {{NULL, NULL}}, 0, 0},
                                 [NODE_CUT] = {"chunk=1", {{"chunk", "1"}}, 1, 0},
                                 {"hops=64", {{"hops", "64"}}, 1, 1},
                                 {"chunk=8", {{"chunk", "8"}}, 1, 1},
                                 {"chunk=64 list=2048", {{"chunk", "64"}, {"list", "2048"}}, 2, 1}};

static const char *const bfs_settings =
    "lf:1 al:1 ts:1 rr:1 lrr:1 share:1 scheduler/al:1 scheduler/rr:1 lf:1:256 lf:1:704 share:1:256 | lf:1:128 grr:1 "
    "dynamic:1 scheduler/ts:1 lf:2:128";

static void bfs_cut(bench *b, trial *t, const cut *c, const app_pair *source, scores *to)
{
    setting at[MOST_SETTINGS];
    size_t n = all_settings(b, bfs_settings, at);
    n += settings_counted(b, "lf", at + n);
    app_pair opts[4];
    char name[96];
    trial cut_trial = *t;
    memcpy(opts, c->opts, sizeof c->opts);
    opts[c->n_opts] = *source;
    cut_trial.q.opts = opts;
    cut_trial.q.n_opts = c->n_opts + 1;
    snprintf(name, sizeof name, "%s %s", t->name, c->name);
    cut_trial.name = name;
    for (size_t i = 0; i < n; i++)
        at[i].extra |= c->extra;
    run_trial(b, &cut_trial, at, n, to);
}

static void goal_central(bench *b, const char *what, const char *name, const scores *s)
{
    char measure[96];
    snprintf(measure, sizeof measure, "best policy over central, %s", what);
    goal_ratio(b, measure, name, ratio(scores_best(s, RANK_CENTRAL, NULL), scores_best_persistent(s)), 2.0);
}

/* least: goal for the ratio to the best search without heddle; 0 = no goal. */
static void bfs_on(bench *b, const char *name, const char *path, const char *source, double least)
{
    const app_pair from = {"source", source};
    trial t = {"bfs", "bfs", name, {.inputs = &path, .n_inputs = path != NULL}, SITE_ALONE, 0};
    scores all = {.n = 0};
    double best, without = beside_bfs(b, &t, &from);
    for (size_t i = 0; i < N_CUTS; i++) {
        scores found = {.n = 0};
        bfs_cut(b, &t, &cuts[i], &from, &found);
        if (i == NODE_CUT)
            goal_central(b, "one task a node (the papers' set-up)", name, &found);
        for (size_t k = 0; k < found.n; k++)
            scores_add(&all, &found.list[k].at, found.list[k].us);
    }
    best = scores_best_persistent(&all);
    goal_central(b, "each at its best options", name, &all);
    if (least > 0)
        goal_ratio(b, "best policy over the best level by level", name, ratio(without, best), least);
    else if (without > 0 && best > 0)
        bench_value(b, (row){"bfs", "best policy over the best level by level", name, "x", NULL}, without / best);
}

/* The papers' costs: no search by levels does this. */
static void bfs_costs(bench *b)
{
    static const app_pair opts[] = {{"cost", "1"}, {"chunk", "1"}};
    trial t = {"bfs", "bfs", "random, costs, chunk=1", {.opts = opts, .n_opts = 2}, SITE_ALONE, 0};
    setting at[MOST_SETTINGS];
    scores all = {.n = 0};
    run_trial(b, &t, at, all_settings(b, "lf:1 al:1 ts:1 rr:1 scheduler/al:1 scheduler/ts:1 scheduler/rr:1", at), &all);
    if (scores_best(&all, RANK_CENTRAL, NULL) > 0 && scores_best_persistent(&all) > 0)
        bench_value(b, (row){"bfs", "best policy over central", t.name, "x", NULL},
                    ratio(scores_best(&all, RANK_CENTRAL, NULL), scores_best_persistent(&all)));
}

/* The path of a file in HEDDLE_DATA; without that folder NULL, and a skipped row. */
static const char *data_file(bench *b, const char *figure, const char *name, char path[1024])
{
    const char *root = getenv("HEDDLE_DATA");
    if (root) {
        snprintf(path, 1024, "%s/%s", root, name);
        return path;
    }
    bench_refuse(b, "HEDDLE_DATA names no folder of data");
    bench_missing(b, (row){figure, name, "-", "us", NULL});
    return NULL;
}

void figure_bfs(bench *b)
{
    char path[1024];
    bfs_on(b, "random", NULL, "0", 0);
    if (data_file(b, "bfs", "bfs/malta_streets.graph", path))
        bfs_on(b, "malta_streets", path, "17357", 1.2); /* 331 levels */
    bfs_costs(b);
}

/* ---- slu ---- */

/* Path x (body + bare hand-over), with body times from a traced run; 0 = unknown. */
static double slu_limit(bench *b, const trial *t, double bare_us)
{
    const setting at = {subject_find(b, b->backend == HEDDLE_CUDA ? "static" : "lf"), 1, 0, 0, 0};
    heddle_stats stats = HEDDLE_STATS_INIT;
    char note[128];
    double us = 0;
    times got;
    site x;
    row r = {t->figure, "path x (body + bare hand-over)", t->name, "us", note};
    if (site_open(b, &x, t->app, NULL, &t->q, &at, 16384) || site_check(b, &x, &got) ||
        bench_heddle(b, x.l.ctx, heddle_graph_get_stats(x.l.graph, &stats), "statistics")) {
        bench_missing(b, r);
    } else if (stats.path_ns && bare_us > 0) {
        us = 1e-3 * (double)stats.path_ns + (double)x.info.n_levels * bare_us;
        snprintf(note, sizeof note, "%llu of %llu tasks, %.1f us in bodies, %.3f us a hand-over",
                 (unsigned long long)x.info.n_levels, (unsigned long long)x.info.n_tasks, 1e-3 * (double)stats.path_ns,
                 bare_us);
        bench_value(b, r, us);
    }
    site_close(&x);
    return us;
}

static void slu_matrix_of(bench *b, const char *name, const char *path, double bare_us)
{
    static const app_pair spawn = {"how", "spawn"};
    trial t = {"slu", "slu", name, {.inputs = &path, .n_inputs = path != NULL}, SITE_RESETS, 0};
    setting at[MOST_SETTINGS];
    scores all = {.n = 0};
    char list[1024], spawned[96];
    if (!path) {
        t.q.n[0] = t.q.n[1] = 256;
        t.q.b[0] = t.q.b[1] = 32;
    }
    t.limit_us = slu_limit(b, &t, bare_us);
    snprintf(
        list, sizeof list,
        "static:1 static lf:1 lf:2 dynamic:2 dynamic:4 %s | static:2 static:4 lf:4 share:2 al:2 ts:2 scheduler/al:1",
        launches);
    run_trial(b, &t, at, all_settings(b, list, at), &all);
    snprintf(spawned, sizeof spawned, "%s, spawning", name);
    t.name = spawned;
    t.q.opts = &spawn;
    t.q.n_opts = 1;
    t.again = SITE_ALONE; /* each run must start without what is known of blocks */
    run_trial(b, &t, at, all_settings(b, "lf:1 lf:2 dynamic:2 | lf:4 share:2 al:2 scheduler/al:1", at), &all);
    goal_ratio(b, "persistent over the best of launches", name,
               ratio(scores_best(&all, RANK_BASELINE, NULL), scores_best_persistent(&all)), 1.2);
}

void figure_slu(bench *b)
{
    static const char *const names[] = {"bcsstk13", "cryg2500"};
    const double bare = handover_us(b);
    char path[1024], name[64];
    if (b->quick) {
        slu_matrix_of(b, "made up", NULL, bare);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "sparse-lu/%s.mtx", names[i]);
        if (data_file(b, "slu", name, path))
            slu_matrix_of(b, names[i], path, bare);
    }
}
