/* SPDX-License-Identifier: MIT */
/* figures_apps.c - the seven apps, each subject at its own best tile size; what they could take at least; libraries that
 * do the same; what the host adds.
 *
 * A case is bound to a context, so each subject has its own: those of one app and tile size are prepared by as many
 * threads, run one after another, and compared with their serial references by threads while the next ones run. All but
 * lu run again on what the run before left, which takes the same time; lu gets its matrix back before each sample. Where
 * the reference would take minutes (L) only the first subject is compared. */
#include "figures.h"
#include "sizes.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 24 };

typedef struct job {
    const app_size *size;
    const uint64_t *tile;
    setting at;
    app_case *c;
    char error[APP_ERROR]; /* of preparing */
    live l;
    times t;
    double us, once_us; /* once_us: host's part of a first run, with building  */
    pthread_t checker;
    int checking, wrong;
} job;

/* What one app at one size came to. */
typedef struct result {
    double persistent, baseline, sync, once, rerun; /* us; once and rerun: the host's part, in % of the run */
} result;

/* ---- a job ---- */

static void *prepare(void *self)
{
    job *j = self;
    app_pair opts[1] = {{j->size->key, j->size->value}};
    app_request q = {.n = {j->size->n[0], j->size->n[1]}, .b = {j->tile[0], j->tile[1]}, .opts = opts};
    q.n_opts = j->size->key != NULL;
    j->c = app_find(j->size->app)->prepare(&q, j->error);
    return NULL;
}

static void prepare_all(job *jobs, size_t n)
{
    pthread_t threads[MOST_JOBS];
    int started[MOST_JOBS];
    for (size_t i = 0; i < n; i++) {
        started[i] = pthread_create(&threads[i], NULL, prepare, &jobs[i]) == 0;
        if (!started[i])
            prepare(&jobs[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}

static void *check(void *self)
{
    job *j = self;
    const app *a = j->c->app;
    j->wrong = a->reference(j->c) || a->check(j->c);
    return NULL;
}

static int reset_case(void *self) { return ((app_case *)self)->app->reset(self); }

static int build(bench *b, job *j)
{
    heddle_status s;
    if (!j->c)
        return bench_refuse(b, j->error);
    if (live_open(b, &j->l, &j->at, 0))
        return -1;
    if (j->c->app->build(j->c, j->l.ctx))
        return bench_refuse(b, j->c->error);
    j->l.graph = j->c->graph;
    j->l.record = j->c->record;
    j->l.record_bytes = j->c->record_bytes;
    j->l.self = j->c;
    s = heddle_graph_freeze(j->l.graph);
    return bench_heddle(b, j->l.ctx, s, "freezing");
}

/* The first run, and what the host needed for it: adding, freezing, loading, launching. */
static int run_first(bench *b, job *j)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    double wall, run;
    if (live_run(b, &j->l, &wall, &run) ||
        bench_heddle(b, j->l.ctx, heddle_graph_get_info(j->l.graph, &info), "the graph"))
        return -1;
    j->once_us = 1e-3 * (double)(info.add_ns + info.freeze_ns) + wall - run;
    return 0;
}

static int start_check(bench *b, job *j)
{
    if (j->c->app->read(j->c))
        return bench_say(b, "%s", j->c->error);
    j->checking = pthread_create(&j->checker, NULL, check, j) == 0;
    if (!j->checking)
        check(j);
    return 0;
}

static int run_job(bench *b, job *j, int checked)
{
    int is_lu = !strcmp(j->size->app, "lu");
    if (build(b, j) || run_first(b, j) || (checked && start_check(b, j)))
        return -1;
    j->l.reset = is_lu ? reset_case : NULL;
    if (live_time(b, &j->l, N_SAMPLES, &j->t))
        return -1;
    j->us = sample_median(times_best(&j->t));
    return 0;
}

/* ---- jobs of one app, size and tile ---- */

static row row_of(const job *j, char *variant, size_t n_bytes)
{
    setting_text text;
    row r = {"apps", j->at.subject->name, variant, "us", NULL};
    snprintf(variant, n_bytes, "%s %s %ux%u %s", j->size->app, j->size->size, (unsigned)j->tile[0],
             (unsigned)j->tile[1], setting_name(&text, &j->at));
    return r;
}

static void finish_job(bench *b, job *j)
{
    char variant[96];
    row r = row_of(j, variant, sizeof variant);
    if (j->checking)
        pthread_join(j->checker, NULL);
    if (j->wrong) {
        bench_say(b, "the check failed: %s", j->c->error);
        bench_missing(b, r);
        j->us = 0;
    }
    if (j->us > 0) {
        r.note = j->t.queued.n ? "" : "one run at a time";
        bench_row(b, r, times_best(&j->t), 1);
    }
    if (j->c)
        j->c->app->free(j->c);
    live_close(&j->l);
}

/* The host's part of the quickest plan. */
static void keep_host(result *out, const job *j, double best)
{
    double run = sample_median(&j->t.run);
    if (j->at.subject->rank != RANK_PLAN || j->us > best)
        return;
    out->once = 100 * j->once_us / run;
    out->rerun = 100 * (sample_median(&j->t.wall) - run) / run;
}

static void run_jobs(bench *b, job *jobs, size_t n, int all_checked, scores *all, result *out)
{
    prepare_all(jobs, n);
    for (size_t i = 0; i < n; i++) {
        char variant[96];
        job *j = &jobs[i];
        int bad = bench_late(b) ? bench_refuse(b, "no time left")
                                : run_job(b, j, all_checked || j->at.subject->rank == RANK_PLAN);
        if (bad)
            bench_missing(b, row_of(j, variant, sizeof variant));
    }
    for (size_t i = 0; i < n; i++) {
        finish_job(b, &jobs[i]);
        scores_add(all, &jobs[i].at, jobs[i].us);
        if (jobs[i].us > 0)
            keep_host(out, &jobs[i], scores_best(all, RANK_PLAN, NULL));
    }
}

/* One app at one size, under all settings and tiles; `together`: how many cases are in memory at a time. */
static result run_size(bench *b, const app_size *size, const char *list, size_t together, int all_checked)
{
    result out = {0, 0, 0, 0, 0};
    scores all = {.n = 0};
    setting at[MOST_SETTINGS];
    size_t n = settings_read(b, list, at, MOST_SETTINGS);
    for (const uint64_t(*tile)[2] = size->tiles; tile < size->tiles + MOST_TILES && (*tile)[0]; tile++)
        for (size_t first = 0; first < n && !bench_late(b); first += together) {
            job jobs[MOST_JOBS];
            size_t k = n - first < together ? n - first : together;
            memset(jobs, 0, sizeof jobs);
            for (size_t i = 0; i < k; i++) {
                jobs[i].size = size;
                jobs[i].tile = *tile;
                jobs[i].at = at[first + i];
            }
            run_jobs(b, jobs, k, all_checked, &all, &out);
        }
    out.persistent = scores_best_persistent(&all);
    out.baseline = scores_best(&all, RANK_BASELINE, NULL);
    out.sync = scores_best(&all, RANK_SYNC, NULL);
    return out;
}

/* ---- limits and libraries ---- */

static void row_library(bench *b, const app_size *size, const char *name, int bad, double us)
{
    char variant[64];
    row r = {"apps", name, variant, "us", "library"};
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (bad) {
        bench_refuse(b, raw_error());
        bench_missing(b, r);
    } else {
        bench_value(b, r, us);
    }
}

static void rows_beside(bench *b, const app_size *size, const result *got)
{
    char variant[64];
    double bytes, fma, ops, limit, us = 0;
    int bad;
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (!strcmp(size->app, "lu") && size->n[0] <= 32768) { /* beyond, its work space has no int for a size */
        bad = raw_getrf_us((int)size->n[0], &us);
        row_library(b, size, "cuSOLVER getrf, no pivots", bad, us);
    } else if (!strcmp(size->app, "sat")) {
        bad = raw_copy_us(size->n[0] * size->n[1] * sizeof(float), &us);
        row_library(b, size, "device copy", bad, us);
    }
    if (b->copy_rate <= 0 || b->fma_rate <= 0 || got->persistent <= 0)
        return;
    bytes = 1e6 * size->n_bytes / b->copy_rate;
    fma = 1e6 * size->n_fma / b->fma_rate;
    ops = 1e6 * size->n_int / (b->fma_rate / 2);
    limit = bytes > fma ? bytes : fma;
    limit = limit > ops ? limit : ops;
    bench_value(b, (row){"apps-limit", bytes >= limit ? "bytes" : "arithmetic", variant, "us", NULL}, limit);
    bench_value(b, (row){"apps-limit", "persistent / limit", variant, "x", NULL}, got->persistent / limit);
}

static void rows_of_size(bench *b, const app_size *size, const result *got)
{
    char variant[64];
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (got->persistent > 0 && got->baseline > 0)
        bench_value(b, (row){"apps-ratio", "persistent / best baseline", variant, "x", NULL},
                    got->baseline / got->persistent);
    if (got->persistent > 0 && got->sync > 0)
        bench_value(b, (row){"apps-ratio", "persistent / levels/by-body/sync", variant, "x", NULL},
                    got->sync / got->persistent);
    if (got->once > 0) {
        bench_value(b, (row){"host", "run once", variant, "% of run", "add, freeze, load, launch"}, got->once);
        bench_value(b, (row){"host", "run again", variant, "% of run", "launch and wait"}, got->rerun);
    }
    rows_beside(b, size, got);
}

/* ---- all apps of a size ---- */

typedef struct summary {
    double log_ratio, log_sync, worst, jacobi, once, rerun;
    int n, n_sync;
} summary;

static void sum_up(summary *s, const app_size *size, const result *got)
{
    double ratio;
    s->once = got->once > s->once ? got->once : s->once;
    s->rerun = got->rerun > s->rerun ? got->rerun : s->rerun;
    if (got->persistent <= 0 || got->baseline <= 0)
        return;
    ratio = got->baseline / got->persistent;
    s->log_ratio += log(ratio);
    s->worst = s->n++ == 0 || ratio < s->worst ? ratio : s->worst;
    if (!strcmp(size->app, "jacobi"))
        s->jacobi = ratio;
    if (got->sync > 0) {
        s->log_sync += log(got->sync / got->persistent);
        s->n_sync++;
    }
}

static int is_wanted(const bench *b, const app_size *size, const char *which)
{
    return !strcmp(size->size, which) && !(b->quick && size->n[0] > 5000);
}

/* Each app gets its share of the time left. */
static summary run_apps(bench *b, const char *which, const char *list, size_t together, int all_checked)
{
    summary s = {0, 0, 0, 0, 0, 0, 0, 0};
    double end = b->deadline;
    int left = 0;
    for (const app_size *size = app_sizes_table; size->app; size++)
        left += is_wanted(b, size, which);
    for (const app_size *size = app_sizes_table; size->app; size++) {
        result got;
        if (!is_wanted(b, size, which))
            continue;
        b->deadline = bench_now() + (end - bench_now()) / left--;
        got = run_size(b, size, list, together, all_checked);
        rows_of_size(b, size, &got);
        sum_up(&s, size, &got);
    }
    b->deadline = end;
    return s;
}

static void goal_geomean(bench *b, const char *which, const summary *s, double limit)
{
    char name[64];
    snprintf(name, sizeof name, "apps %s, geomean of %d", which, s->n);
    bench_goal(b, name, "x", s->n ? exp(s->log_ratio / s->n) : 0, 1, limit);
}

static void goals_large(bench *b, const char *which, const summary *s)
{
    char name[64];
    goal_geomean(b, which, s, 1.05);
    snprintf(name, sizeof name, "apps %s, worst", which);
    bench_goal(b, name, "x", s->worst, 1, 0.97);
    snprintf(name, sizeof name, "jacobi %s", which);
    bench_goal(b, name, "x", s->jacobi, 1, 1.3);
}

void figure_apps_small(bench *b)
{
    summary s = run_apps(b, "S",
                         "plan plan:1 plan:2 plan:4 lf lf:2 share ticket levels levels/by-body levels/by-body/sync "
                         "cudagraph cudagraph/by-body cudagraph+pdl cudagraph+pdl/by-body taskgraph",
                         16, 1);
    goal_geomean(b, "S", &s, 1.1);
    bench_goal(b, "apps S over levels/by-body/sync", "x", s.n_sync ? exp(s.log_sync / s.n_sync) : 0, 1, 2.0);
}

void figure_apps_medium(bench *b)
{
    summary s = run_apps(b, "M",
                         "plan plan:2 lf levels/by-body levels/by-body/sync cudagraph/by-body cudagraph "
                         "cudagraph+pdl/by-body",
                         8, 1);
    goals_large(b, "M", &s);
}

void figure_apps_large(bench *b)
{
    summary s = run_apps(b, "L", "plan cudagraph/by-body cudagraph+pdl/by-body", 1, 0);
    goals_large(b, "L", &s);
    bench_goal(b, "host L, run once", "%", s.once, -1, 10);
    bench_goal(b, "host L, run again", "%", s.rerun, -1, 1);
}

void figure_lu(bench *b)
{
    static const char *const sizes[] = {"2048", "3072", "4096"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        summary s = run_apps(b, sizes[i],
                             "plan plan:1 plan:2 lf share levels/by-body cudagraph cudagraph/by-body cudagraph+pdl "
                             "cudagraph+pdl/by-body taskgraph",
                             16, 1);
        char name[32];
        snprintf(name, sizeof name, "lu n = %s", sizes[i]);
        bench_goal(b, name, "x", s.worst, 1, 1.3);
    }
}
