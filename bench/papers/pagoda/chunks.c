/* SPDX-License-Identifier: MIT */
/* chunks.c - tasks that bring their data, beside the best that a program without a pool can do: copy, kernel, copy for chunks of all
 * tasks (stage.h). The tasks of a chunk are one grid of one block size. Rows of an array that go with them are one copy, out of pinned
 * memory. All sizes of a chunk from LEAST tasks to all, by factors of two, over two to four streams are timed, and the quickest counts.
 * Records of tasks lie on the GPU before, while the resident pool sends its own.
 *
 * slu is not in it: its tasks come after others. Without CUDA the stage is host memory. */
#include "pagoda.h"
#include "stage.h"

#include "heddle/task.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 256, LEAST_STREAMS = 2, TEAM = 128, ALIGNMENT = 256, MOST_ARGS = 256 };
enum { BODIES = 4, COPIES = STAGE_SPANS / BODIES }; /* a task has up to so many copies, a table so many bodies */
enum { RESIDENT, CHUNKS };

/* The tasks of a case, in chunks of `size` that are ready to run. */
typedef struct chunked {
    const app_case *c;
    uint64_t size, n, n_bytes;
    stage_chunk *each;
    stage_runner runner;
    void *params;
    stage *stage;
    char *why; /* STAGE_ERROR bytes */
} chunked;

static int say(chunked *x, const char *sentence)
{
    snprintf(x->why, STAGE_ERROR, "%s", sentence);
    return -1;
}

/* ---- what goes with a chunk ---- */

/* The copy lies in the span, or goes on with it. */
static int extend(stage_span *s, const heddle_pool_copy *copy)
{
    char *host = copy->host, *end = host + copy->n_bytes;
    if (!s->n_bytes) {
        *s = (stage_span){.host = host, .n_bytes = copy->n_bytes, .mode = copy->mode};
        return 0;
    }
    if (copy->mode != s->mode || host < s->host || host > s->host + s->n_bytes)
        return -1;
    if (end > s->host + s->n_bytes)
        s->n_bytes = (uint64_t)(end - s->host);
    return 0;
}

static stage_span *span_of(stage_chunk *chunk, const heddle_pool_task *task, size_t k)
{
    return &chunk->span[task->body * COPIES + k];
}

static int gather(chunked *x, stage_chunk *chunk, const heddle_pool_task *task)
{
    if (task->body >= BODIES || task->n_copies > COPIES || task->arg_bytes > MOST_ARGS)
        return say(x, "more bodies, copies or bytes of arguments than a chunk of tasks has room for");
    for (size_t k = 0; k < task->n_copies; k++)
        if (extend(span_of(chunk, task, k), &task->copies[k]))
            return say(x, "what goes with the tasks of a chunk is not one stretch of an array");
    return 0;
}

static uint64_t end_of(const chunked *x, uint64_t i) { return app_smaller((i + 1) * x->size, x->c->tasks.n); }

/* The spans of chunk i, and their places one after another. */
static int plan(chunked *x, uint64_t i)
{
    stage_chunk *chunk = &x->each[i];
    for (uint64_t t = i * x->size; t < end_of(x, i); t++)
        if (gather(x, chunk, &x->c->tasks.each[t]))
            return -1;
    for (int k = 0; k < STAGE_SPANS; k++) {
        chunk->span[k].at = x->n_bytes;
        x->n_bytes += (chunk->span[k].n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return 0;
}

/* ---- their grids ---- */

/* The task with pointers into the stage. */
static heddle_status add(const chunked *x, stage_chunk *chunk, const heddle_pool_task *task)
{
    _Alignas(16) char args[MOST_ARGS];
    memcpy(args, task->args, task->arg_bytes);
    for (size_t k = 0; k < task->n_copies; k++) {
        const stage_span *s = span_of(chunk, task, k);
        void *at = (char *)stage_memory(x->stage) + s->at + ((char *)task->copies[k].host - s->host);
        memcpy(args + task->copies[k].at, &at, sizeof at);
    }
    return heddle_graph_add(chunk->graph, task->body, args, task->arg_bytes, NULL, 0, NULL);
}

static int build(chunked *x, uint64_t i)
{
    stage_chunk *chunk = &x->each[i];
    heddle_status s = heddle_graph_new(x->runner.ctx, x->c->app->apart, &chunk->graph);
    for (uint64_t t = i * x->size; t < end_of(x, i) && s == HEDDLE_OK; t++)
        s = add(x, chunk, &x->c->tasks.each[t]);
    return s == HEDDLE_OK ? 0 : say(x, heddle_error_text(x->runner.ctx));
}

static int open_context(chunked *x, const heddle_config *like)
{
    const heddle_table *table = x->c->app->apart;
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = like->backend;
    c.device = like->device;
    c.n_workers = like->n_workers;
    if (c.backend == HEDDLE_CUDA) {
        c.schedule = HEDDLE_SCHEDULE_LEVELS;
        c.team_size = TEAM;
    }
    x->params = calloc(1, table->params_bytes + 1u);
    if (!x->params)
        return say(x, "out of memory for a record");
    if (heddle_ctx_open(&x->runner.ctx, &c) != HEDDLE_OK)
        return say(x, heddle_error_text(NULL));
    x->runner.params = x->params;
    x->runner.params_bytes = table->params_bytes;
    return 0;
}

/* ---- all chunks ---- */

static int open_stage(chunked *x, const heddle_config *like)
{
    x->each = calloc(x->n, sizeof *x->each);
    if (!x->each)
        return say(x, "out of memory for chunks of tasks");
    for (uint64_t i = 0; i < x->n; i++)
        if (plan(x, i))
            return -1;
    x->stage = stage_open(like->device, x->n_bytes, x->why);
    return x->stage ? 0 : -1;
}

/* chunks_close must follow in any case. */
static int chunks_open(chunked *x, const work *w, uint64_t size, char why[STAGE_ERROR])
{
    *x = (chunked){.c = w->c, .size = size, .n = (w->c->tasks.n + size - 1) / size, .why = why};
    if (!w->c->tasks.each)
        return say(x, "its tasks bring no data");
    if (open_context(x, &w->config) || open_stage(x, &w->config))
        return -1;
    for (uint64_t i = 0; i < x->n; i++)
        if (build(x, i))
            return -1;
    return stage_load(x->stage, &x->runner, x->each, x->n, why);
}

static void chunks_close(chunked *x)
{
    if (x->stage)
        stage_close(x->stage);
    for (uint64_t i = 0; x->each && i < x->n; i++)
        heddle_graph_free(x->each[i].graph);
    heddle_ctx_close(x->runner.ctx);
    free(x->each);
    free(x->params);
}

/* ---- check and times ---- */

/* Of a quarter of the tasks each. */
static int run_quarters(void *why, work *w)
{
    chunked x;
    const int status =
        chunks_open(&x, w, (w->c->tasks.n + 3) / 4, why) || stage_run(x.stage, STAGE_STREAMS, why) ? CLI_BAD : CLI_OK;
    chunks_close(&x);
    return status;
}

/* Over so many streams; the first run does not count. */
static int time_streams(const figures *f, chunked *x, uint32_t n_streams, timing *t)
{
    t->n = 0;
    if (stage_run(x->stage, n_streams, x->why))
        return -1;
    for (size_t n = figure_runs(f->o); t->n < n; t->n++) {
        const uint64_t begin_ns = cli_now_ns();
        if (stage_run(x->stage, n_streams, x->why))
            return -1;
        figure_put(t->ms, t->n, 1e-6 * (double)(cli_now_ns() - begin_ns));
    }
    return 0;
}

/* The best number of streams. */
static int time_size(const figures *f, const work *w, uint64_t size, timing *best, uint32_t *n_streams)
{
    chunked x;
    timing t;
    int status = chunks_open(&x, w, size, best->why);
    best->n = 0;
    for (uint32_t n = LEAST_STREAMS; n <= STAGE_STREAMS && !status; n++) {
        status = time_streams(f, &x, n, &t);
        if (status || (best->n && figure_middle(best->ms, best->n) <= figure_middle(t.ms, t.n)))
            continue;
        memcpy(best->ms, t.ms, sizeof t.ms);
        best->n = t.n;
        *n_streams = n;
    }
    chunks_close(&x);
    return status;
}

/* ---- the figure ---- */

/* One size of chunks, or (size 0) the resident pool. */
typedef struct entry {
    uint64_t size;
    uint32_t n_streams;
    timing t;
} entry;

enum { MOST_ENTRIES = 24 };

typedef struct entries {
    entry at[MOST_ENTRIES];
    size_t n;
    double best_ms; /* of chunks */
} entries;

/* Nonzero: the last entry says why not. */
static int time_sizes(const figures *f, const work *w, entries *all)
{
    for (uint64_t size = app_smaller(LEAST, w->c->tasks.n); all->n + 1 < MOST_ENTRIES; size *= 2) {
        entry *e = &all->at[all->n++];
        double ms;
        e->size = app_smaller(size, w->c->tasks.n);
        e->t.n_tasks = w->c->tasks.n;
        if (time_size(f, w, e->size, &e->t, &e->n_streams))
            return -1;
        ms = figure_middle(e->t.ms, e->t.n);
        all->best_ms = all->best_ms > 0 && all->best_ms < ms ? all->best_ms : ms;
        if (e->size == w->c->tasks.n)
            break;
    }
    return 0;
}

/* Checks, and times all sizes. */
static void time_chunks(figures *f, const subject *s, entries *all)
{
    entry *e = &all->at[0];
    char why[STAGE_ERROR] = "";
    work w;
    int status = pagoda_check(f, s, &f->ways[CHUNKS], &e->t, run_quarters, why);
    all->n = 0;
    all->best_ms = 0;
    if (!status) {
        status = pagoda_open(f, s, &f->ways[CHUNKS], f->n_tasks, &w, &e->t) || time_sizes(f, &w, all);
        work_close(&w);
    }
    if (!status)
        return;
    all->best_ms = 0;
    if (*why)
        snprintf(e->t.why, sizeof e->t.why, "%s", why);
    all->n += !all->n;
}

static double print_entry(figures *f, const subject *s, const char *way, const entry *e, double best_ms)
{
    FILE *out = f->files.tsv.out;
    const double ms = figure_middle(e->t.ms, e->t.n), over = ms > 0 ? best_ms / ms : 0;
    fprintf(out, "%s\t%s\t%llu\t%u\t%llu\t", s->app, way, (unsigned long long)e->size, e->n_streams,
            (unsigned long long)e->t.n_tasks);
    if (e->t.n)
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.4g\n", ms, e->t.ms[0], e->t.ms[e->t.n - 1], over);
    else
        fprintf(out, "skipped\t%s\n", e->t.why);
    return over;
}

static void time_subject(figures *f, const subject *s, entries *all, double *over)
{
    entry own = {.size = 0};
    memset(all, 0, sizeof *all);
    time_chunks(f, s, all);
    pagoda_time(f, s, &f->ways[RESIDENT], &own.t);
    for (size_t i = 0; i < all->n; i++)
        (void)print_entry(f, s, f->ways[CHUNKS].name, &all->at[i], all->best_ms);
    *over = print_entry(f, s, f->ways[RESIDENT].name, &own, all->best_ms);
}

int pagoda_chunks(figures *f)
{
    static const char *const series[] = {"over the best chunks"};
    const size_t n = f->now->n_subjects;
    const char *groups[MOST_SUBJECTS];
    double over[MOST_SUBJECTS] = {0};
    char note[200];
    chart c = {.title = f->now->title, .note = note, .unit = "times as quick as the best chunks"};
    entries *all = malloc(sizeof *all);
    if (!all)
        return cli_bad("out of memory");
    if (figure_begin(&f->files)) {
        free(all);
        return CLI_BAD;
    }
    snprintf(note, sizeof note, "%llu tasks with copies, over chunks of the best size: medians of %zu runs",
             (unsigned long long)f->n_tasks, figure_runs(f->o));
    pagoda_head(f, note, "app\tway\tchunk\tstreams\ttasks\tmedian_ms\tleast_ms\tmost_ms\tover");
    for (size_t i = 0; i < n; i++) {
        groups[i] = f->now->subjects[i].name;
        time_subject(f, &f->now->subjects[i], all, &over[i]);
    }
    free(all);
    chart_fill(&c, n, groups, 1, series, over);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "pagoda-chunks", 1);
}
