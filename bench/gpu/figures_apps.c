/* SPDX-License-Identifier: MIT */
/* figures_apps.c - the seven apps, each subject at its own best tile size; lower bounds; libraries for the same job;
 * the host's share. Apps that can run as a wave do so, too, beside their tasks.
 *
 * A case is prepared and built once for each app, size and tile; then its context is set to one subject after another
 * (heddle_ctx_reconfigure; site.h). All but lu run again on what the run before left, which takes the same time; lu
 * gets its matrix back before each sample. Of several tiles the goals use the first.
 *
 * The host's part of a run is: adding tasks, freezing, loading (planning, the blob, the words of a run, the plan's
 * steps), starting and waiting. Data are made and copied outside of it. The CUDA driver loads a kernel at its first use
 * in a process: that is shown apart, and belongs to no run. */
#include "figures.h"
#include "site.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 20000 }; /* most tasks for which a CUDA graph is worth making */

/* One app, size and tile. */
typedef struct case_of {
    const app_size *size;
    const uint64_t *tile;
    site x;
} case_of;

/* Times in us. */
typedef struct host {
    double add, freeze, load, plan, kernels, launch, run, again; /* again: the host's cost of a later run */
    uint64_t n_tasks;
    uint64_t tile[2];
    setting at;
} host;

/* Results of one app at one size, in us. */
typedef struct result {
    double persistent, baseline, sync, chosen, wave;
    host once; /* of the least total, from the first added task to the end of one run; run 0: nothing timed */
} result;

/* ---- a case ---- */

static int case_open(bench *b, case_of *k, const app_size *size, const char *engine, const uint64_t *tile,
                     const setting *first)
{
    app_pair opts[1] = {{size->key, size->value}};
    app_request q = {.n = {size->n[0], size->n[1]}, .b = {tile[0], tile[1]}, .opts = opts};
    q.n_opts = size->key != NULL;
    k->size = size;
    k->tile = tile;
    return site_open(b, &k->x, size->app, engine, &q, first, 0);
}

static int time_setting(bench *b, case_of *k, const setting *at, times *out)
{
    if (bench_late(b))
        return bench_no_time(b);
    if (at->subject->mode.schedule == HEDDLE_SCHEDULE_TASKGRAPH && k->x.info.n_tasks >= MOST_NODES)
        return bench_refuse(b, "a node a task is tried below 20,000 tasks");
    return site_time(b, &k->x, at, strcmp(k->size->app, "lu") ? SITE_GOES_ON : SITE_RESETS, out);
}

/* ---- all settings and tiles ---- */

static double host_us(const host *h) { return h->add + h->freeze + h->load + h->plan + h->launch; }

static void keep_host(result *out, const case_of *k, const setting *at, const times *t)
{
    host h = {1e-3 * (double)k->x.info.add_ns,
              1e-3 * (double)k->x.info.freeze_ns,
              t->load - t->plan - t->kernels,
              t->plan,
              t->kernels,
              0,
              sample_median(&t->run),
              0,
              k->x.info.n_tasks,
              {0, 0},
              *at};
    h.launch = fmax(t->first - t->first_run - t->load, 0);
    h.again = fmax(sample_median(&t->wall) - h.run, 0);
    memcpy(h.tile, k->tile, sizeof h.tile);
    if (out->once.run == 0 || host_us(&h) + h.run < host_us(&out->once) + out->once.run)
        out->once = h;
}

/* cannot: nothing can run at this site, and the sentence is set. */
static void run_setting(bench *b, case_of *k, const setting *at, int cannot, scores *all, result *out)
{
    char variant[96];
    setting_text text;
    times t;
    row r = {"apps", at->subject->name, variant, "us", NULL};
    snprintf(variant, sizeof variant, "%s %s %ux%u %s", k->size->app, k->size->size, (unsigned)k->tile[0],
             (unsigned)k->tile[1], setting_name(&text, at));
    if (cannot || time_setting(b, k, at, &t)) {
        bench_missing(b, r);
        return;
    }
    r.note = t.queued.n ? "" : "one run at a time";
    bench_row(b, r, times_best(&t), 1);
    scores_add(all, at, sample_median(times_best(&t)));
    if (is_persistent(at))
        keep_host(out, k, at, &t);
}

static void run_tile(bench *b, const app_size *size, const uint64_t *tile, const setting *at, size_t n, scores *all,
                     result *out)
{
    const int extra = tile != size->tiles[0];
    int cannot;
    case_of k;
    b->extra = extra;
    if (bench_late(b)) {
        bench_no_time(b);
        bench_missing(b, (row){"apps", size->app, size->size, "us", NULL});
        return;
    }
    cannot = case_open(b, &k, size, NULL, tile, &at[0]);
    for (size_t i = 0; i < n; i++) {
        b->extra = extra || at[i].extra;
        run_setting(b, &k, &at[i], cannot, all, out);
    }
    site_close(&k.x);
}

/* The same problem as a wave, if the app has one: the same bytes as with tasks. */
static void run_wave(bench *b, const app_size *size, scores *all)
{
    const setting at = {subject_find(b, SUBJECT_WAVE), 0, 0, 0, 0};
    int cannot;
    case_of k;
    result none;
    if (!app_scenario_of(app_find(size->app), "wave"))
        return;
    b->extra = 0;
    cannot = bench_late(b) ? bench_no_time(b) : 0;
    memset(&k, 0, sizeof k);
    k.size = size;
    k.tile = size->tiles[0];
    cannot = cannot || case_open(b, &k, size, "wave", size->tiles[0], &at);
    run_setting(b, &k, &at, cannot, all, &none);
    site_close(&k.x);
}

/* One app at one size, under all settings and tiles; the app's own settings come first. */
static result run_size(bench *b, const app_size *size, const char *list)
{
    result out = {.once = {.run = 0}};
    scores all = {.n = 0};
    setting at[MOST_SETTINGS];
    size_t n = settings_read(b, size->settings ? size->settings : "", at, MOST_SETTINGS);
    n += settings_read(b, list, at + n, MOST_SETTINGS - n);
    for (const uint64_t(*tile)[2] = size->tiles; tile < size->tiles + MOST_TILES && (*tile)[0]; tile++)
        run_tile(b, size, *tile, at, n, &all, &out);
    run_wave(b, size, &all);
    out.persistent = scores_best_persistent(&all);
    out.baseline = scores_best(&all, RANK_BASELINE, NULL);
    out.sync = scores_best(&all, RANK_SYNC, NULL);
    out.chosen = scores_best(&all, RANK_AUTO, NULL);
    out.wave = scores_best(&all, RANK_WAVE, NULL);
    return out;
}

/* ---- limits and libraries ---- */

static void row_library(bench *b, const app_size *size, const char *name)
{
    const setting at = {.subject = subject_named(name)};
    const problem p = {NULL, size};
    char variant[64];
    row r = {"apps", name, variant, "us", "library"};
    times t;
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (time_problem(b, &p, &at, 0, 1, &t))
        bench_missing(b, r);
    else
        bench_row(b, r, times_best(&t), 1);
}

static void rows_beside(bench *b, const app_size *size, const result *got)
{
    char variant[64];
    double bytes, fma, ops, limit;
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (!strcmp(size->app, "lu") && size->n[0] <= 32768) /* it cannot do larger ones */
        row_library(b, size, SUBJECT_GETRF);
    else if (!strcmp(size->app, "sat"))
        row_library(b, size, SUBJECT_COPY);
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

/* The best time of tasks over another; 0 if one is missing. */
static double ratio_to(const result *got, double us)
{
    double best = got->baseline > 0 && got->baseline < got->persistent ? got->baseline : got->persistent;
    return us > 0 && best > 0 ? best / us : 0;
}
static double chosen_ratio(const result *got) { return ratio_to(got, got->chosen); }
static double wave_ratio(const result *got) { return ratio_to(got, got->wave); }

static double share_once(const host *h) { return h->run > 0 ? 100 * host_us(h) / h->run : 0; }
static double share_again(const host *h) { return h->run > 0 ? 100 * h->again / h->run : 0; }

static void rows_of_host(bench *b, const char *variant, const host *h)
{
    const struct {
        const char *name;
        double us;
    } parts[] = {{"add", h->add},       {"freeze", h->freeze}, {"plan", h->plan},   {"load", h->load},
                 {"launch", h->launch}, {"run", h->run},       {"again", h->again}, {"kernels", h->kernels}};
    setting_text text;
    char note[128];
    snprintf(note, sizeof note, "%llu tasks of %llux%llu, %s %s", (unsigned long long)h->n_tasks,
             (unsigned long long)h->tile[0], (unsigned long long)h->tile[1], h->at.subject->name,
             setting_name(&text, &h->at));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        bench_value(b, (row){"host", parts[i].name, variant, "us", note}, parts[i].us);
    bench_value(b, (row){"host", "run once", variant, "% of run", "add, freeze, plan, load, launch"}, share_once(h));
    bench_value(b, (row){"host", "run again", variant, "% of run", "launch and wait"}, share_again(h));
}

static void rows_of_size(bench *b, const app_size *size, const result *got)
{
    char variant[64];
    snprintf(variant, sizeof variant, "%s %s", size->app, size->size);
    if (got->persistent > 0 && got->baseline > 0)
        bench_value(b, (row){"apps-ratio", "persistent / best baseline", variant, "x", NULL},
                    got->baseline / got->persistent);
    if (got->persistent > 0 && got->sync > 0)
        bench_value(b, (row){"apps-ratio", "persistent / levels+sync/by-body", variant, "x", NULL},
                    got->sync / got->persistent);
    if (chosen_ratio(got) > 0)
        bench_value(b, (row){"apps-ratio", "auto / best", variant, "x", NULL}, chosen_ratio(got));
    if (wave_ratio(got) > 0)
        bench_value(b, (row){"apps-ratio", "wave / best tasks", variant, "x", NULL}, wave_ratio(got));
    if (got->once.run > 0)
        rows_of_host(b, variant, &got->once);
    rows_beside(b, size, got);
}

/* ---- all apps of a size ---- */

typedef struct summary {
    double log_ratio, log_sync, worst, jacobi, once, rerun, chosen, log_wave, worst_wave;
    int n, n_sync, n_wave;
} summary;

static void sum_up_wave(summary *s, const result *got)
{
    const double ratio = wave_ratio(got);
    if (ratio <= 0)
        return;
    s->log_wave += log(ratio);
    s->worst_wave = s->n_wave++ == 0 || ratio < s->worst_wave ? ratio : s->worst_wave;
}

static void sum_up(summary *s, const app_size *size, const result *got)
{
    double ratio;
    sum_up_wave(s, got);
    if (size->of_waves)
        return;
    s->once = fmax(s->once, share_once(&got->once));
    s->rerun = fmax(s->rerun, share_again(&got->once));
    if (got->persistent <= 0 || got->baseline <= 0)
        return;
    ratio = chosen_ratio(got);
    if (ratio > 0 && (s->chosen == 0 || ratio < s->chosen))
        s->chosen = ratio;
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

/* An app's weight in the division of time: large matrices keep a card busy for seconds per run. */
static double share_of(const app_size *size) { return 1 + size->n_fma / 4e13; }

/* Each app gets its share of the time left. */
static summary run_apps(bench *b, const char *which, const char *list)
{
    summary s = {.n = 0};
    double end = b->deadline, left = 0;
    for (const app_size *size = app_sizes_table; size->app; size++)
        left += is_wanted(b, size, which) ? share_of(size) : 0;
    for (const app_size *size = app_sizes_table; size->app; size++) {
        result got;
        if (!is_wanted(b, size, which))
            continue;
        b->deadline = bench_now() + (end - bench_now()) * share_of(size) / left;
        left -= share_of(size);
        got = run_size(b, size, list);
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

static void goals_of_waves(bench *b, const char *which, const summary *s)
{
    char name[64];
    snprintf(name, sizeof name, "apps %s as waves over tasks, geomean of %d", which, s->n_wave);
    bench_goal(b, name, "x", s->n_wave ? exp(s->log_wave / s->n_wave) : 0, 1, 4);
    snprintf(name, sizeof name, "apps %s as waves over tasks, worst", which);
    bench_goal(b, name, "x", s->worst_wave, 1, 1.3);
}

static void goal_auto(bench *b, const char *which, const summary *s)
{
    char name[64];
    snprintf(name, sizeof name, "apps %s, auto within 3 %% of the best, worst", which);
    bench_goal(b, name, "x", s->chosen, 1, 0.97);
}

static void goals_large(bench *b, const char *which, const summary *s)
{
    char name[64];
    goal_auto(b, which, s);
    goal_geomean(b, which, s, 1.05);
    snprintf(name, sizeof name, "apps %s, worst", which);
    bench_goal(b, name, "x", s->worst, 1, 0.97);
    snprintf(name, sizeof name, "jacobi %s", which);
    bench_goal(b, name, "x", s->jacobi, 1, 1.3);
}

void figure_apps_small(bench *b)
{
    summary s = run_apps(b, "S",
                         "static graph+pdl/by-body graph/by-body levels+sync/by-body auto static:1 static:2 graph+pdl "
                         "graph | levels/by-body dynamic static:4 levels share lf taskgraph");
    goal_geomean(b, "S", &s, 1.1);
    goal_auto(b, "S", &s);
    bench_goal(b, "apps S over levels+sync/by-body", "x", s.n_sync ? exp(s.log_sync / s.n_sync) : 0, 1, 2.0);
    goals_of_waves(b, "S", &s);
}

void figure_apps_medium(bench *b)
{
    summary s =
        run_apps(b, "M",
                 "static graph/by-body graph+pdl/by-body auto static:1 static:2 | static:4 levels/by-body graph "
                 "graph+pdl dynamic share levels+sync/by-body levels lf taskgraph");
    goals_large(b, "M", &s);
    goals_of_waves(b, "M", &s);
}

void figure_apps_large(bench *b)
{
    summary s = run_apps(b, "L", "static graph/by-body auto | graph+pdl/by-body static:1 dynamic levels/by-body");
    goals_large(b, "L", &s);
    goals_of_waves(b, "L", &s);
    bench_goal(b, "host L, run once", "%", s.once, -1, 10);
    bench_goal(b, "host L, run again", "%", s.rerun, -1, 1);
}

void figure_lu(bench *b)
{
    static const char *const sizes[] = {"2048", "3072", "4096"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        summary s = run_apps(b, sizes[i],
                             "static graph+pdl/by-body graph+pdl graph/by-body graph | static:1 static:2 "
                             "levels/by-body dynamic share lf taskgraph");
        char name[32];
        snprintf(name, sizeof name, "lu n = %s", sizes[i]);
        bench_goal(b, name, "x", s.worst, 1, 1.3);
    }
}
