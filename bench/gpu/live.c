/* SPDX-License-Identifier: MIT */
/* live.c - implements live.h. */
#include "live.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 20000, MOST_QUEUED = 200, MOST_TRIES = 40, LONG_US = 4000000 };
static const double sample_us = 3000; /* work put into the stream per sample */

/* ---- a life ---- */

static heddle_config config_of(const bench *b, const setting *s, uint32_t n_trace)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = b->backend;
    c.schedule = s->subject->mode.schedule;
    c.expert.policy = s->subject->mode.policy;
    c.n_trace = n_trace;
    c.time_limit_ms = LIMIT_MS;
    c.n_workers = s->n_workers;
    if (b->backend != HEDDLE_CUDA)
        return c;
    c.expert.by_body = s->subject->mode.by_body;
    c.team_size = s->threads;
    if (is_persistent(s) && !s->n_workers)
        c.n_workers = s->per_sm * (uint32_t)b->card.n_sms;
    return c;
}

int live_open(bench *b, live *l, const setting *s, uint32_t n_trace)
{
    heddle_config c = config_of(b, s, n_trace);
    memset(l, 0, sizeof *l);
    l->sync = s->subject->mode.schedule == HEDDLE_SCHEDULE_LEVELS_SYNC;
    l->timed.ticks_per_ns = (float)b->ticks_per_ns;
    if (bench_heddle(b, NULL, heddle_ctx_open(&l->ctx, &c), "opening"))
        return -1;
    if (b->backend == HEDDLE_CUDA && raw_stream_new(&l->stream))
        return bench_refuse(b, raw_error());
    return 0;
}

int live_switch(bench *b, live *l, const setting *s)
{
    heddle_config c = config_of(b, s, 0);
    l->sync = s->subject->mode.schedule == HEDDLE_SCHEDULE_LEVELS_SYNC;
    return bench_heddle(b, l->ctx, heddle_ctx_reconfigure(l->ctx, &c), "another setting");
}

int live_shape(bench *b, live *l, const shape *s)
{
    void *cells = NULL;
    heddle_status status = HEDDLE_OK;
    if (s->body == timed_mix)
        status = heddle_mem_new(l->ctx, shape_cells(s) * sizeof(uint64_t), &cells);
    l->timed.cells = cells;
    l->record = &l->timed;
    l->record_bytes = sizeof l->timed;
    if (status == HEDDLE_OK)
        status = heddle_graph_new(l->ctx, &timed, &l->graph);
    if (status == HEDDLE_OK)
        status = shape_add(s, l->graph);
    if (status == HEDDLE_OK)
        status = heddle_graph_freeze(l->graph);
    return bench_heddle(b, l->ctx, status, "making the graph");
}

void live_close(live *l)
{
    raw_stream_free(l->stream);
    if (l->record == &l->timed) {
        heddle_graph_free(l->graph);
        heddle_mem_free(l->ctx, l->timed.cells);
    }
    if (l->ctx)
        heddle_ctx_close(l->ctx);
    memset(l, 0, sizeof *l);
}

/* ---- times ---- */

int live_run(bench *b, live *l, double *wall, double *run)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    double begin = bench_now();
    if (bench_heddle(b, l->ctx, heddle_graph_run(l->ctx, l->graph, l->record, l->record_bytes), "a run"))
        return -1;
    if (wall)
        *wall = 1e6 * (bench_now() - begin);
    if (run && bench_heddle(b, l->ctx, heddle_graph_get_stats(l->graph, &stats), "statistics"))
        return -1;
    if (run)
        *run = 1e-3 * (double)stats.run_ns;
    return 0;
}

static int reset(bench *b, live *l) { return l->reset && l->reset(l->self) ? bench_say(b, "resetting failed") : 0; }

int live_is_trying(const live *l)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    return heddle_graph_get_stats(l->graph, &stats) == HEDDLE_OK && stats.is_trying;
}

static int warm_up(bench *b, live *l)
{
    int tries = 0;
    do
        if (reset(b, l) || live_run(b, l, NULL, NULL))
            return -1;
    while (live_is_trying(l) && ++tries < MOST_TRIES && !bench_late(b));
    return 0;
}

static int time_runs(bench *b, live *l, uint32_t n, times *out)
{
    for (uint32_t i = 0; i < n; i++) {
        double wall, run;
        if (reset(b, l) || live_run(b, l, &wall, &run))
            return -1;
        sample_add(&out->run, run);
        sample_add(&out->wall, wall);
        if (bench_late(b))
            break;
    }
    return 0;
}

/* One sample: k runs between two time stamps. */
static int queue_runs(bench *b, live *l, uint32_t k, double *us)
{
    void *stream = raw_stream_handle(l->stream);
    if (reset(b, l) || raw_stamp(l->stream, 0))
        return bench_refuse(b, raw_error());
    for (uint32_t i = 0; i < k; i++) {
        heddle_status s = heddle_graph_enqueue(l->ctx, l->graph, l->record, l->record_bytes, stream);
        if (bench_heddle(b, l->ctx, s, "a run in a stream"))
            return -1;
    }
    if (raw_stamp(l->stream, 1) || raw_between_us(l->stream, us))
        return bench_refuse(b, raw_error());
    *us /= k;
    return bench_heddle(b, l->ctx, heddle_graph_stream_status(l->graph), "runs in a stream");
}

static int time_queued(bench *b, live *l, uint32_t n, times *out)
{
    double runs = sample_us / (sample_median(&out->run) + 1), us;
    uint32_t k = runs < 1 ? 1 : runs > MOST_QUEUED ? MOST_QUEUED : (uint32_t)runs;
    k = l->alone ? 1 : l->reset && k > 8 ? 8 : k;
    if (queue_runs(b, l, k, &us))
        return -1;
    for (uint32_t i = 0; i < n && !bench_late(b); i++) {
        if (queue_runs(b, l, k, &us))
            return -1;
        sample_add(&out->queued, us);
    }
    return 0;
}

int live_first(bench *b, live *l, times *out)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    memset(out, 0, sizeof *out);
    if (live_run(b, l, &out->first, &out->first_run))
        return -1;
    if (bench_heddle(b, l->ctx, heddle_graph_get_stats(l->graph, &stats), "statistics"))
        return -1;
    out->load = 1e-3 * (double)stats.load_ns;
    out->plan = 1e-3 * (double)stats.plan_ns;
    out->kernels = 1e-3 * (double)stats.kernel_ns;
    return 0;
}

int live_sample(bench *b, live *l, uint32_t n, times *out)
{
    if (out->first_run > LONG_US) {
        sample_add(&out->run, out->first_run);
        sample_add(&out->wall, out->first - out->load);
        return 0;
    }
    n = out->first_run > LONG_US / 4 ? 3 : out->first_run > LONG_US / 40 ? 5 : n;
    if (warm_up(b, l) || time_runs(b, l, n, out))
        return -1;
    /* The cost of a start is negligible in a long run. */
    return l->stream && !l->sync && out->first_run < LONG_US / 200 ? time_queued(b, l, n, out) : 0;
}

/* ---- verification ---- */

static int compare(bench *b, live *l, const shape *s, uint64_t *want, uint64_t *got)
{
    size_t n = shape_cells(s), n_bytes = n * sizeof *got;
    memset(want, 0, n_bytes);
    if (bench_heddle(b, l->ctx, heddle_mem_write(l->ctx, l->timed.cells, want, n_bytes), "clearing cells"))
        return -1;
    /* The second run tests the words that the first one leaves; each way that is tried is tested. */
    for (int run = 0; run < 2 || (live_is_trying(l) && run < MOST_TRIES); run++) {
        shape_mix(s, want);
        if (live_run(b, l, NULL, NULL))
            return -1;
    }
    if (bench_heddle(b, l->ctx, heddle_mem_read(l->ctx, got, l->timed.cells, n_bytes), "reading cells"))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i])
            return bench_say(b, "cell %zu of %zu is wrong: tasks ran in another order, or not at all", i, n);
    return 0;
}

static int verify(bench *b, const setting *at, const shape *s)
{
    shape mixing = *s;
    uint64_t *cells = calloc(2 * shape_cells(s), sizeof *cells);
    live l;
    int bad;
    mixing.body = timed_mix;
    if (!cells)
        return bench_say(b, "out of memory");
    bad =
        live_open(b, &l, at, 0) || live_shape(b, &l, &mixing) || compare(b, &l, &mixing, cells, cells + shape_cells(s));
    live_close(&l);
    free(cells);
    return bad ? -1 : 0;
}

/* ---- as a subject ---- */

static int open_shape(bench *b, const setting *at, const problem *p, void **self)
{
    live *l = calloc(1, sizeof *l);
    *self = l;
    if (!l)
        return bench_say(b, "out of memory");
    if (!p->shape)
        return bench_refuse(b, "an app runs at its site");
    return live_open(b, l, at, 0) || live_shape(b, l, p->shape) ? -1 : 0;
}

static int run_shape(bench *b, void *self, uint32_t each_ns, uint32_t n, times *out)
{
    live *l = self;
    l->timed.each_ns = each_ns;
    return live_first(b, l, out) || live_sample(b, l, n, out) ? -1 : 0;
}

static void close_shape(void *self)
{
    if (self)
        live_close(self);
    free(self);
}

const runner heddle_runner = {open_shape, run_shape, close_shape, verify};
