/* SPDX-License-Identifier: MIT */
/* didc14.c - `heddle bench --figures didc14 [--out DIR]`: the figures of the papers on a scheduler inside the GPU
 * (DIDC'14; Belviranli's thesis, chapter 5), each as DIR/didc14-NAME.tsv and .svg:
 *
 *     breakdown-heat2d, breakdown-bfs   where each worker's time goes, under one locked queue and under three policies
 *                                       with and without a scheduler block (DIDC'14 figure 3, thesis 5.11 and 5.12)
 *     tasks                             tasks of a worker: least, most, average (thesis 5.13 and 5.14)
 *     workers-heat2d, workers-bfs       distributed queues and the one queue by number of workers (DIDC'14 figure 4, thesis
 *                                       5.15 and 5.16)
 *     waves                             heat2d with a host that waits after each wave, with waves that the GPU launches, and
 *                                       with the one queue (thesis 5.2)
 *
 * Sizes are the papers' (-n for others); bfs has one task per vertex, as there. Each way is compared with the serial
 * reference before it is timed; then a traced run shows where the time goes. What is not possible is a row `skipped`
 * with the reason. Without a GPU, threads of the cpu backend and smaller fields take its place. */
#include "chart.h"
#include "field.h"
#include "papers.h"
#include "rows.h"
#include "setting.h"
#include "waves.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

static const way ways[] = {
    WAY("central", CENTRAL, DEFAULT),
    WAY("scheduler/rr", SCHEDULER, RR),
    WAY("scheduler/ts", SCHEDULER, TS),
    WAY("scheduler/al", SCHEDULER, AL),
    WAY("rr", RINGS, RR),
    WAY("ts", RINGS, TS),
    WAY("al", RINGS, AL),
};
enum { N_WAYS = sizeof ways / sizeof *ways, N_PARTS = 4, MOST_COUNTS = 12 };
static const way *const central = &ways[0], *const al = &ways[N_WAYS - 1];
static const way synced = {"host synchronise", HEDDLE_SCHEDULE_LEVELS_SYNC, HEDDLE_POLICY_DEFAULT, 1, 0};
static const char *const launched = "waves launched by the GPU";

static const char *const part_names[N_PARTS] = {"computation", "idle", "queue", "dependences"};

typedef struct figures {
    const options *o;
    heddle_backend backend;
    uint32_t n_most; /* workers: one per SM, or per thread */
    const char *where;
    figure_files files;
    int wrong;
} figures;

/* Measurements of one way. */
typedef struct measured {
    double ms[FIGURE_RUNS]; /* sorted */
    size_t n;
    heddle_stats stats; /* stats and workers: from a traced run */
    heddle_worker_stats *workers;
    char why[160]; /* the reason if n is 0 */
} measured;

/* ---- one way on a case ---- */

/* Dispatch scheduler uses one of the n blocks for itself. */
static uint32_t workers_of(const way *way, uint32_t n)
{
    return way->schedule == HEDDLE_SCHEDULE_SCHEDULER && n > 1 ? n - 1 : n;
}

static heddle_config config_of(const figures *f, const way *way, uint32_t n_workers)
{
    heddle_config c = way_config(way, f->backend, &f->o->config);
    c.n_workers = heddle_schedule_has_workers(way->schedule) ? workers_of(way, n_workers) : 0;
    return c;
}

/* Cases are built for the distributed queues, which can run all of them. */
static int open_case(const figures *f, work *w, const char *app, const app_request *q)
{
    const heddle_config c = config_of(f, al, f->n_most);
    return work_open(w, app_find(app), NULL, q, &c);
}

static int reconfigure(work *w, heddle_config c)
{
    c.time_limit_ms = w->config.time_limit_ms;
    return heddle_ctx_reconfigure(w->ctx, &c) ? cli_heddle_bad(w->ctx, HEDDLE_EINVAL) : CLI_OK;
}

static int read_workers(work *w, measured *m)
{
    m->stats = (heddle_stats)HEDDLE_STATS_INIT;
    if (heddle_graph_get_stats(w->graph, &m->stats))
        return cli_heddle_bad(w->ctx, HEDDLE_EINVAL);
    m->workers = calloc(m->stats.n_workers, sizeof *m->workers);
    if (!m->workers)
        return cli_bad("out of memory");
    for (uint32_t i = 0; i < m->stats.n_workers; i++)
        if (heddle_graph_get_worker_stats(w->graph, i, &m->workers[i]))
            return cli_heddle_bad(w->ctx, HEDDLE_EINVAL);
    return m->stats.n_dropped ? cli_bad("the trace lost events; HEDDLE_TRACE makes room for more") : CLI_OK;
}

/* Traces the second of two runs: the first one loads. */
static int trace_way(work *w, heddle_config c, measured *m)
{
    uint64_t ns;
    c.n_trace = trace_room(&c);
    for (int run = 0; run < 2; run++)
        if ((run == 0 && reconfigure(w, c)) || work_reset(w) || work_run(w, &ns))
            return CLI_BAD;
    return read_workers(w, m);
}

static int time_way(work *w, size_t n, measured *m)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    uint64_t ns;
    for (size_t i = 0; i < n; i++) {
        if (work_reset(w) || work_run(w, &ns))
            return CLI_BAD;
        if (heddle_graph_get_stats(w->graph, &stats))
            return cli_heddle_bad(w->ctx, HEDDLE_EINVAL);
        figure_put(m->ms, i, 1e-6 * (double)stats.run_ns);
    }
    m->n = n;
    return CLI_OK;
}

static int check_way(figures *f, work *w, const char *name, const char **sentence)
{
    if (work_check(w, sentence) == CLI_OK)
        return CLI_OK;
    f->wrong = 1;
    return cli_bad("%s, %s: the check failed: %s", w->app->name, name, *sentence ? *sentence : "no reference");
}

/* Checks, times and, with `traced`, traces a way. n is 0 and `why` the reason if it is refused or wrong. */
static void measure(figures *f, work *w, const way *way, uint32_t n_workers, int traced, measured *m)
{
    const heddle_config c = config_of(f, way, n_workers);
    const char *sentence = NULL;
    uint64_t ns;
    memset(m, 0, sizeof *m);
    if (reconfigure(w, c) || work_reset(w) || work_run(w, &ns) || check_way(f, w, way->name, &sentence) ||
        time_way(w, figure_runs(f->o), m) || (traced && trace_way(w, c, m))) {
        m->n = 0;
        snprintf(m->why, sizeof m->why, "%.159s", sentence ? sentence : heddle_error_text(w->ctx));
    }
}

static void parts_of(const heddle_worker_stats *w, double us[N_PARTS])
{
    us[0] = 1e-3 * (double)w->body_ns;
    us[1] = 1e-3 * (double)w->idle_ns;
    us[2] = 1e-3 * (double)w->queue_ns;
    us[3] = 1e-3 * (double)w->dep_ns;
}

/* Values of the average worker. */
static void mean_parts(const measured *m, double us[N_PARTS])
{
    const double n = m->stats.n_workers;
    const heddle_worker_stats sum = {m->stats.n_tasks, m->stats.body_ns, m->stats.idle_ns, m->stats.queue_ns,
                                     m->stats.dep_ns};
    parts_of(&sum, us);
    for (size_t i = 0; i < N_PARTS; i++)
        us[i] /= n;
}

static void print_parts(FILE *out, const double us[N_PARTS])
{
    for (size_t i = 0; i < N_PARTS; i++)
        fprintf(out, "\t%.3f", us[i]);
    fputc('\n', out);
}

/* ---- where the time goes, and tasks of a worker ---- */

static void print_breakdown(figures *f, const way *way, const measured *m, double mean[N_PARTS])
{
    FILE *out = f->files.tsv.out;
    if (!m->n) {
        fprintf(out, "%s\tskipped\t%s\n", way->name, m->why);
        return;
    }
    mean_parts(m, mean);
    fprintf(out, "%s\tmean\t%.1f", way->name, (double)m->stats.n_tasks / m->stats.n_workers);
    print_parts(out, mean);
    for (uint32_t i = 0; i < m->stats.n_workers; i++) {
        double us[N_PARTS];
        parts_of(&m->workers[i], us);
        fprintf(out, "%s\t%u\t%llu", way->name, i, (unsigned long long)m->workers[i].n_tasks);
        print_parts(out, us);
    }
}

/* Tasks of a worker, by way: the first app's, then the second's. */
typedef struct balance {
    double low[N_WAYS * 2], high[N_WAYS * 2], mean[N_WAYS * 2];
    char why[N_WAYS * 2][160];
} balance;

static void keep_balance(balance *b, size_t at, const measured *m)
{
    snprintf(b->why[at], sizeof b->why[at], "%s", m->why);
    if (!m->n)
        return;
    b->low[at] = m->stats.n_tasks_min;
    b->high[at] = m->stats.n_tasks_max;
    b->mean[at] = (double)m->stats.n_tasks / m->stats.n_workers;
}

static const char *const set_ups[] = {"heat2d", "bfs"};

static int figure_breakdown(figures *f, work *w, size_t which, balance *b)
{
    static const char *const titles[] = {"Where the time goes: heat2d", "Where the time goes: bfs"};
    char note[160], name[64];
    const char *groups[N_WAYS];
    double mean[N_WAYS * N_PARTS] = {0};
    chart c = {.title = titles[which], .note = note, .unit = "us, average worker", .stacked = 1};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s; a traced run, %u workers", f->where, f->n_most);
    fprintf(f->files.tsv.out, "# %s\nway\tworker\ttasks\tcomputation_us\tidle_us\tqueue_us\tdependences_us\n", note);
    for (size_t i = 0; i < N_WAYS; i++) {
        measured m;
        groups[i] = ways[i].name;
        measure(f, w, &ways[i], f->n_most, 1, &m);
        print_breakdown(f, &ways[i], &m, &mean[i * N_PARTS]);
        keep_balance(b, i * 2 + which, &m);
        free(m.workers);
    }
    chart_fill(&c, N_WAYS, groups, N_PARTS, part_names, mean);
    chart_print(&c, f->files.svg.out);
    snprintf(name, sizeof name, "didc14-breakdown-%s", set_ups[which]);
    return figure_end(&f->files, name, 1);
}

static int figure_balance(figures *f, const balance *b)
{
    const char *groups[N_WAYS];
    chart c = {.title = "Tasks of a worker", .note = f->where, .unit = "tasks", .low = b->low, .high = b->high};
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s; of the traced runs\napp\tway\tleast\tmost\taverage\n", f->where);
    for (size_t i = 0; i < N_WAYS; i++) {
        groups[i] = ways[i].name;
        for (size_t a = 0; a < 2; a++) {
            const size_t at = i * 2 + a;
            if (b->why[at][0])
                fprintf(f->files.tsv.out, "%s\t%s\tskipped\t%s\n", set_ups[a], ways[i].name, b->why[at]);
            else
                fprintf(f->files.tsv.out, "%s\t%s\t%.0f\t%.0f\t%.1f\n", set_ups[a], ways[i].name, b->low[at],
                        b->high[at], b->mean[at]);
        }
    }
    chart_fill(&c, N_WAYS, groups, 2, set_ups, b->mean);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "didc14-tasks", 1);
}

/* ---- by number of workers ---- */

/* Counts from six, as in the papers, or from one if there are fewer, up to all. Returns how many. */
static size_t worker_counts(const figures *f, uint32_t counts[MOST_COUNTS])
{
    size_t n = 0;
    uint32_t at = f->n_most > 6 ? 6 : 1;
    for (; at < f->n_most && n + 1 < MOST_COUNTS; at += at < 14 ? (f->n_most > 14 ? 8 : 1) : at / 2)
        counts[n++] = at;
    counts[n++] = f->n_most;
    return n;
}

static void measure_count(figures *f, work *w, const way *way, uint32_t n_workers, double us[N_PARTS])
{
    FILE *out = f->files.tsv.out;
    measured m;
    measure(f, w, way, n_workers, 1, &m);
    if (m.n) {
        mean_parts(&m, us);
        fprintf(out, "%u\t%s\t%.6g", n_workers, way->name, figure_middle(m.ms, m.n));
        print_parts(out, us);
    } else {
        fprintf(out, "%u\t%s\tskipped\t%s\n", n_workers, way->name, m.why);
    }
    free(m.workers);
}

static int figure_workers(figures *f, work *w, size_t which)
{
    static const char *const titles[] = {"By number of workers: heat2d", "By number of workers: bfs"};
    uint32_t counts[MOST_COUNTS];
    const size_t n = worker_counts(f, counts);
    char labels[2 * MOST_COUNTS][24], note[160], name[64];
    const char *groups[2 * MOST_COUNTS];
    double mean[2 * MOST_COUNTS * N_PARTS] = {0};
    chart c = {.title = titles[which], .note = note, .unit = "us, average worker", .stacked = 1};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s; D: distributed, al; C: central; traced runs", f->where);
    fprintf(f->files.tsv.out,
            "# %s; medians of %zu without a trace\n"
            "workers\tway\tmedian_ms\tcomputation_us\tidle_us\tqueue_us\tdependences_us\n",
            note, figure_runs(f->o));
    for (size_t i = 0; i < 2 * n; i++) {
        snprintf(labels[i], sizeof labels[i], "%u %c", counts[i / 2], i % 2 ? 'C' : 'D');
        groups[i] = labels[i];
        measure_count(f, w, i % 2 ? central : al, counts[i / 2], &mean[i * N_PARTS]);
    }
    chart_fill(&c, 2 * n, groups, N_PARTS, part_names, mean);
    chart_print(&c, f->files.svg.out);
    snprintf(name, sizeof name, "didc14-workers-%s", set_ups[which]);
    return figure_end(&f->files, name, 1);
}

/* Both kinds of figures of an application, on one case. */
static int figures_of(figures *f, size_t which, const app_request *q, balance *b)
{
    work w;
    int status = open_case(f, &w, set_ups[which], q);
    if (!status)
        status = figure_breakdown(f, &w, which, b) || figure_workers(f, &w, which) ? CLI_BAD : CLI_OK;
    work_close(&w);
    return status;
}

/* ---- waves ---- */

/* Tile (i, j) of sweep s is in wave i + j + 2 s: after its neighbours of this sweep and of the one before. Tiles of one
 * wave are adjacent. */
static int list_waves(const field *f, tile_rect *tiles, uint32_t *begin, uint32_t n_waves)
{
    const uint64_t rows = field_tiles(f, 0), cols = field_tiles(f, 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_waves; k++) {
        begin[k] = n;
        for (uint64_t s = 0; s < (uint64_t)f->sweeps && 2 * s <= k; s++)
            for (uint64_t i = 0; i < rows && i + 2 * s <= k; i++)
                if (k - 2 * s - i < cols)
                    tiles[n++] = field_tile(f, i, k - 2 * s - i);
    }
    begin[n_waves] = n;
    return n == rows * cols * (uint64_t)f->sweeps ? CLI_OK : cli_bad("waves do not hold all tiles");
}

/* Runs the waves n times, after one run that is checked. */
static int run_waves(figures *f, work *w, const waves *v, measured *m)
{
    char error[WAVES_ERROR];
    const char *sentence = NULL;
    for (size_t i = 0; i <= figure_runs(f->o); i++) {
        double ms;
        if (work_reset(w))
            return CLI_BAD;
        if (waves_run(v, &ms, error)) {
            snprintf(m->why, sizeof m->why, "%.159s", error);
            return CLI_OK;
        }
        if (i == 0 && check_way(f, w, launched, &sentence)) {
            snprintf(m->why, sizeof m->why, "%.159s", sentence ? sentence : "no reference");
            return CLI_OK;
        }
        if (i)
            figure_put(m->ms, m->n++, ms);
    }
    return CLI_OK;
}

static int measure_waves(figures *f, work *w, measured *m)
{
    const field *field_of = (const field *)w->c;
    const heat_record *record = w->c->record;
    const uint32_t cols = (uint32_t)(w->c->b[1] < HEAT_PART_COLS ? w->c->b[1] : HEAT_PART_COLS);
    const uint32_t n_waves =
        (uint32_t)(field_tiles(field_of, 0) + field_tiles(field_of, 1) + 2 * (uint64_t)field_of->sweeps - 3);
    tile_rect *tiles = calloc(w->info.n_tasks, sizeof *tiles);
    uint32_t *begin = calloc(n_waves + 1, sizeof *begin);
    int status = tiles && begin ? list_waves(field_of, tiles, begin, n_waves) : cli_bad("out of memory");
    memset(m, 0, sizeof *m);
    if (!status) {
        waves v = {record, tiles, begin, n_waves, 128, HEDDLE_REDUCE_BYTES, f->o->config.device};
        v.team_size = f->o->config.team_size ? f->o->config.team_size : v.team_size;
        v.shared_bytes += record->tuned ? (uint32_t)HEAT_SHARED(record->tuned, cols) : 0;
        status = run_waves(f, w, &v, m);
    }
    free(tiles);
    free(begin);
    return status;
}

static void print_wave_row(figures *f, const char *name, const measured *m)
{
    if (m->n)
        fprintf(f->files.tsv.out, "%s\t%.6g\t%.6g\t%.6g\n", name, figure_middle(m->ms, m->n), m->ms[0],
                m->ms[m->n - 1]);
    else
        fprintf(f->files.tsv.out, "%s\tskipped\t%s\n", name, m->why);
}

static int measure_all_waves(figures *f, work *w, const char *const *names, double *value)
{
    measured m;
    for (size_t i = 0; i < 4; i++) {
        memset(&m, 0, sizeof m);
        if (i < 2 && f->backend != HEDDLE_CUDA)
            snprintf(m.why, sizeof m.why, "there is no GPU");
        else if (i == 1 && measure_waves(f, w, &m))
            return CLI_BAD;
        else if (i != 1)
            measure(f, w, i == 0 ? &synced : i == 2 ? central : al, f->n_most, 0, &m);
        print_wave_row(f, names[i], &m);
        value[i] = figure_middle(m.ms, m.n);
    }
    return CLI_OK;
}

static int figure_waves(figures *f)
{
    static const char *const series[] = {"heat2d"};
    const char *const names[] = {synced.name, launched, "central queue", "distributed, al"};
    const uint64_t n = f->o->request.n[0] ? f->o->request.n[0] : f->backend == HEDDLE_CUDA ? 32768 : 4096;
    app_request q = f->o->request;
    char note[160];
    double value[4];
    chart c = {.title = "Waves, and the one queue", .note = note, .unit = "ms a run"};
    work w;
    int status;
    q.n[0] = n;
    q.n[1] = f->o->request.n[1] ? f->o->request.n[1] : n;
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s; heat2d, %llu x %llu; medians of %zu runs", f->where, (unsigned long long)q.n[0],
             (unsigned long long)q.n[1], figure_runs(f->o));
    fprintf(f->files.tsv.out, "# %s\nway\tmedian_ms\tleast_ms\tmost_ms\n", note);
    status = open_case(f, &w, "heat2d", &q) || measure_all_waves(f, &w, names, value);
    work_close(&w);
    chart_fill(&c, 4, names, 1, series, value);
    if (!status)
        chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "didc14-waves", !status) || status ? CLI_BAD : CLI_OK;
}

/* ---- the command ---- */

static void describe(figures *f)
{
    heddle_device gpu = HEDDLE_DEVICE_INIT;
    heddle_machine m;
    int is_gpu = !heddle_device_get(HEDDLE_CUDA, f->o->config.device, &gpu);
    heddle_machine_get(&m);
    f->backend = is_gpu ? HEDDLE_CUDA : HEDDLE_CPU;
    f->n_most = is_gpu ? gpu.n_units : m.n_threads > 1 ? m.n_threads : 2;
    f->n_most = f->o->config.n_workers ? f->o->config.n_workers : f->n_most;
    f->where = is_gpu ? "backend cuda" : "no GPU here: backend cpu";
    f->files.dir = f->o->out ? f->o->out : ".";
}

int figures_didc14(const options *o)
{
    figures f = {.o = o};
    static const app_pair a_task_a_vertex = {"chunk", "1"};
    app_request heat = o->request, bfs = {.opts = &a_task_a_vertex, .n_opts = 1};
    balance *b = calloc(1, sizeof *b);
    int status = b ? CLI_OK : cli_bad("out of memory");
    describe(&f);
    if (!heat.n[0] && f.backend == HEDDLE_CPU)
        heat.n[0] = heat.n[1] = 2048;
    if (!status)
        status = figures_of(&f, 0, &heat, b) || figures_of(&f, 1, &bfs, b) || figure_balance(&f, b) || figure_waves(&f);
    free(b);
    return status ? CLI_BAD : f.wrong ? CLI_WRONG : CLI_OK;
}
