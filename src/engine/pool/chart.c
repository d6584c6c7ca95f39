/* SPDX-License-Identifier: MIT */
/* chart.c - the records of a traced pool as an outcome, from which run/report.h makes files.
 *
 * A worker has a row. Where tasks of one worker overlap, it has further ones: a multiprocessor runs several at once, and a task with
 * blocks or children lasts while its worker does other things. An event's task is the number of its record. */
#include "engine/pool/trace.h"
#include "run/report.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_LANES 64u /* rows of a worker; what does not fit is drawn over others */

typedef struct row {
    uint32_t worker, lane;
} row;

typedef struct chart {
    heddle_pool *pool;
    heddle_pool_record *records;
    uint64_t n, n_seen;
    uint32_t *order, n_order; /* records of tasks that ran, by worker and begin */
    uint8_t *lanes;           /* of each of these */
    row *rows;
    uint32_t n_rows, n_workers;
    uint64_t *first_of;
    hd_tally *tallies; /* of each row */
    hd_event *events;
    char note[200];
    hd_outcome o;
} chart;

/* ---- what reports ask of it ---- */

static const heddle_pool_record *record_of(const chart *c, const hd_event *ev) { return &c->records[ev->task]; }

static uint32_t kind_of(const void *self, const hd_event *ev) { return record_of(self, ev)->body; }

static const char *kind_name(const void *self, uint32_t kind)
{
    return hd_body_name(((const chart *)self)->pool->graph->g.table, kind);
}

static const char *word_of_worker(const chart *c) { return c->pool->words->by_sm ? "SM" : "worker"; }

static void row_name(const void *self, uint32_t i, char *to, size_t n)
{
    const chart *c = self;
    const row *r = &c->rows[i];
    if (r->lane)
        snprintf(to, n, "%s %u (%u)", word_of_worker(c), r->worker, r->lane + 1u);
    else
        snprintf(to, n, "%s %u", word_of_worker(c), r->worker);
}

static void print_args(const void *self, const hd_event *ev, hd_file *f)
{
    const chart *c = self;
    const heddle_pool_record *r = record_of(c, ev);
    hd_file_print(
        f,
        ",\"handle\":\"0x%llx\",\"user\":\"0x%llx\",\"team\":%u,\"blocks\":%u,\"status\":\"%s\",\"worker\":%u,"
        "\"body_us\":" HD_US ",\"error_us\":" HD_US ",\"seen_us\":" HD_US,
        (unsigned long long)r->handle, (unsigned long long)r->user, r->team_size, r->n_blocks,
        heddle_status_text(r->status), r->worker, HD_US_OF(r->body_ns), HD_US_OF(r->error_ns),
        HD_US_OF(hd_since(&c->o, r->seen_ns)));
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A row for each spawning thread, in a process of its own. c->order is not needed any more. */
static void print_threads(const chart *c, hd_file *f)
{
    uint32_t *threads = c->order;
    uint64_t i;
    for (i = 0; i < c->n; i++)
        threads[i] = c->records[i].thread;
    qsort(threads, c->n, sizeof *threads, by_number);
    hd_file_print(f, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"spawning threads\"}}");
    for (i = 0; i < c->n; i++)
        if (i == 0 || threads[i] != threads[i - 1u])
            hd_file_print(f,
                          ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":\"thread "
                          "%u\"}}",
                          threads[i], threads[i]);
}

/* A spawn takes no time here, but flows are bound to slices only. */
static void print_spawn(const chart *c, const heddle_pool_record *r, hd_file *f)
{
    hd_file_print(f, ",\n{\"ph\":\"X\",\"name\":");
    hd_print_json(f, kind_name(c, r->body));
    hd_file_print(f,
                  ",\"cat\":\"spawn\",\"pid\":1,\"tid\":%u,\"ts\":" HD_US
                  ",\"dur\":0.001,\"args\":{\"handle\":\"0x%llx\",\"status\":\"%s\"}}",
                  r->thread, HD_US_OF(hd_since(&c->o, r->spawned_ns)), (unsigned long long)r->handle,
                  heddle_status_text(r->status));
}

static void print_flow(const chart *c, uint32_t id, uint32_t tid, uint64_t begin_ns, hd_file *f)
{
    const heddle_pool_record *r = &c->records[id];
    hd_file_print(f,
                  ",\n{\"ph\":\"s\",\"name\":\"spawn\",\"cat\":\"spawn\",\"id\":%u,\"pid\":1,\"tid\":%u,\"ts\":" HD_US
                  "},\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"spawn\",\"cat\":\"spawn\",\"id\":%u,\"pid\":0,\"tid\":%u,"
                  "\"ts\":" HD_US "}",
                  id + 1u, r->thread, HD_US_OF(hd_since(&c->o, r->spawned_ns)), id + 1u, tid,
                  HD_US_OF(hd_since(&c->o, begin_ns)));
}

static void print_more(const void *self, hd_file *f)
{
    const chart *c = self;
    uint64_t i;
    uint32_t w, k;
    print_threads(c, f);
    for (i = 0; i < c->n; i++)
        print_spawn(c, &c->records[i], f);
    for (w = 0; w < c->n_rows; w++)
        for (k = 0; k < hd_n_events(&c->o, w); k++)
            print_flow(c, hd_events_of(&c->o, w)[k].task, w, hd_events_of(&c->o, w)[k].begin, f);
}

/* ---- rows ---- */

static int by_worker_and_begin(const void *a, const void *b, void *records)
{
    const heddle_pool_record *x = (const heddle_pool_record *)records + *(const uint32_t *)a;
    const heddle_pool_record *y = (const heddle_pool_record *)records + *(const uint32_t *)b;
    if (x->worker != y->worker)
        return x->worker < y->worker ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void sort(chart *c)
{
    uint64_t i;
    for (i = 0; i < c->n; i++)
        if (c->records[i].worker != HEDDLE_POOL_NOT_RUN)
            c->order[c->n_order++] = (uint32_t)i;
    qsort_r(c->order, c->n_order, sizeof *c->order, by_worker_and_begin, c->records);
    c->n_workers = c->pool->words->by_sm ? 1u : c->pool->words->n_workers - c->pool->words->n_guests;
    if (c->n_order && c->records[c->order[c->n_order - 1u]].worker >= c->n_workers)
        c->n_workers = c->records[c->order[c->n_order - 1u]].worker + 1u;
}

/* The first lane that is free at that time. */
static uint32_t lane_at(const uint64_t *ends, uint32_t n, uint64_t begin_ns)
{
    uint32_t k;
    for (k = 0; k < n && ends[k] > begin_ns; k++)
        ;
    return k < MOST_LANES ? k : MOST_LANES - 1u;
}

/* Gives the tasks of one worker, from number `at` on, their lanes. *n: how many lanes. Returns where the next worker's begin. */
static uint32_t lanes_of(chart *c, uint32_t worker, uint32_t at, uint32_t *n)
{
    uint64_t ends[MOST_LANES];
    *n = 0;
    for (; at < c->n_order && c->records[c->order[at]].worker == worker; at++) {
        const heddle_pool_record *r = &c->records[c->order[at]];
        const uint32_t k = lane_at(ends, *n, r->begin_ns);
        *n = k < *n ? *n : k + 1u;
        ends[k] = r->end_ns;
        c->lanes[at] = (uint8_t)k;
    }
    return at;
}

/* Counts the rows; with c->rows fills them in, too. */
static void make_rows(chart *c)
{
    uint32_t w, k, n, at = 0;
    c->n_rows = 0;
    for (w = 0; w < c->n_workers; w++) {
        at = lanes_of(c, w, at, &n);
        for (k = 0; k < (n ? n : 1u); k++, c->n_rows++)
            if (c->rows)
                c->rows[c->n_rows] = (row){w, k};
    }
}

static hd_event event_of(const chart *c, uint32_t record, uint64_t since_ns)
{
    const heddle_pool_record *r = &c->records[record];
    const uint64_t idle = r->begin_ns > since_ns ? r->begin_ns - since_ns : 0;
    return (hd_event){.begin = r->begin_ns,
                      .end = r->end_ns,
                      .task = record,
                      .idle = idle < UINT32_MAX ? (uint32_t)idle : UINT32_MAX};
}

/* The events of row i, out of its worker's tasks. */
static void fill_row(chart *c, uint32_t i, uint32_t from, uint32_t to)
{
    hd_event *ev = &c->events[c->first_of[i]];
    uint64_t since = c->o.begin_ns;
    uint32_t at, n = 0;
    for (at = from; at < to; at++)
        if (c->lanes[at] == c->rows[i].lane) {
            ev[n++] = event_of(c, c->order[at], since);
            since = ev[n - 1u].end;
        }
    c->tallies[i].n_tasks = c->tallies[i].n_events = n;
    c->first_of[i + 1u] = c->first_of[i] + n;
}

static void fill_rows(chart *c)
{
    uint32_t i, from = 0, to = 0;
    for (i = 0; i < c->n_rows; i++) {
        if (c->rows[i].lane == 0)
            for (from = to; to < c->n_order && c->records[c->order[to]].worker == c->rows[i].worker; to++)
                ;
        fill_row(c, i, from, to);
    }
}

/* ---- the outcome ---- */

/* Which tasks these are, and how exact their times. */
static void describe(chart *c)
{
    uint64_t i, error_ns = 0;
    int at = 0;
    for (i = 0; i < c->n; i++)
        error_ns = c->records[i].error_ns > error_ns ? c->records[i].error_ns : error_ns;
    if (c->n < c->n_seen)
        at = snprintf(c->note, sizeof c->note, "the last %llu tasks%s", (unsigned long long)c->n,
                      c->pool->words->clock_apart ? ", " : "");
    if (c->pool->words->clock_apart)
        snprintf(c->note + at, sizeof c->note - (size_t)at, "times of the GPU \xc2\xb1 " HD_US " \xc2\xb5s",
                 HD_US_OF(error_ns));
    c->o.legend.note = *c->note ? c->note : NULL;
}

static void make_outcome(chart *c)
{
    heddle_pool *p = c->pool;
    const char *how = p->backend->pool_how ? p->backend->pool_how(p->loaded) : "";
    uint64_t i;
    c->o.backend = heddle_backend_name(p->backend->kind);
    c->o.begin_ns = UINT64_MAX;
    for (i = 0; i < c->n; i++) {
        const heddle_pool_record *r = &c->records[i];
        c->o.begin_ns = r->spawned_ns < c->o.begin_ns ? r->spawned_ns : c->o.begin_ns;
        c->o.end_ns = r->seen_ns > c->o.end_ns ? r->seen_ns : c->o.end_ns;
    }
    c->o.begin_ns = c->n ? c->o.begin_ns : 0;
    c->o.n_lost = c->n_seen - c->n;
    c->o.legend = (hd_legend){.self = c,
                              .title = p->graph->g.table->name,
                              .n_kinds = p->graph->g.table->n_bodies,
                              .kind_of = kind_of,
                              .kind_name = kind_name,
                              .way = *how ? how : "pool",
                              .row_name = row_name,
                              .print_args = print_args,
                              .print_more = print_more};
    describe(c);
}

static void clear(chart *c)
{
    hd_trace_free_records(c->records, c->n);
    hd_delete(c->order, c->n * sizeof *c->order);
    hd_delete(c->lanes, c->n);
    hd_delete(c->rows, c->n_rows * sizeof *c->rows);
    hd_delete(c->first_of, (c->n_rows + 1ull) * sizeof *c->first_of);
    hd_delete(c->tallies, c->n_rows * sizeof *c->tallies);
    hd_delete(c->events, c->n * sizeof *c->events);
}

/* -1 without memory. */
static int make(chart *c)
{
    c->order = hd_new(c->n * sizeof *c->order);
    c->lanes = hd_new(c->n);
    c->events = hd_new(c->n * sizeof *c->events);
    if (!c->order || !c->lanes || !c->events)
        return -1;
    sort(c);
    make_rows(c);
    c->rows = hd_new(c->n_rows * sizeof *c->rows);
    c->first_of = hd_new((c->n_rows + 1ull) * sizeof *c->first_of);
    c->tallies = hd_new(c->n_rows * sizeof *c->tallies);
    if (!c->rows || !c->first_of || !c->tallies)
        return -1;
    make_rows(c);
    make_outcome(c);
    fill_rows(c);
    c->o.n_workers = c->n_rows;
    c->o.tallies = c->tallies;
    c->o.events = c->events;
    c->o.first_of = c->first_of;
    c->o.legend.row = c->n_rows == c->n_workers ? word_of_worker(c) : "row";
    return 0;
}

static heddle_status open_chart(heddle_pool *p, chart *c, const char *path, const char *call)
{
    memset(c, 0, sizeof *c);
    c->pool = p;
    HD_TRY(hd_trace_is_there(p, call));
    if (!path)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: path is NULL", call);
    HD_TRY(hd_trace_records(p, &c->records, &c->n, &c->n_seen));
    if (make(c) == 0)
        return HEDDLE_OK;
    clear(c);
    return hd_say(NULL, HEDDLE_ENOMEM, "%s: no memory for %llu tasks", call, (unsigned long long)c->n);
}

HEDDLE_API heddle_status heddle_pool_write_trace(heddle_pool *p, const char *path)
{
    chart c;
    heddle_status s;
    HD_TRY(open_chart(p, &c, path, "heddle_pool_write_trace"));
    s = hd_write_trace(&c.o, path, NULL);
    clear(&c);
    return s;
}

HEDDLE_API heddle_status heddle_pool_write_timeline(heddle_pool *p, const char *path, const char *title)
{
    chart c;
    heddle_status s;
    HD_TRY(open_chart(p, &c, path, "heddle_pool_write_timeline"));
    s = hd_write_timeline(&c.o, path, title, NULL);
    clear(&c);
    return s;
}
