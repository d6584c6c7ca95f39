/* SPDX-License-Identifier: MIT */
/* trace.c - a run as a Chrome trace (JSON object form), for Perfetto and chrome://tracing: a thread per worker, a complete
 * event per task, a flow per edge (if the legend has edges). "heddle" behind the events has totals, which viewers skip.
 *
 * Requirements of viewers: timestamps in microseconds; a flow's start inside its slice (one nanosecond before the end,
 * because a slice is closed there), its finish bound to the enclosing slice; no empty slices, as nothing binds to them (a
 * body shorter than the timer's step gets one nanosecond); thread names without a timestamp.
 *
 * Of a wave a slice is a stretch of a band, named by the band; its "args" say which columns it is and how long it has waited.
 * Each of the bands that a worker runs at a time ("lanes" in the totals) has a row of its own.
 *
 * Joins are not run as tasks: an edge into a join is drawn from the join's last predecessor to its successors. In a graph
 * with very many edges, only the edge that made a task ready is drawn, since all would overwhelm the viewer. "flows" in the
 * totals says which. */
#include "run/report.h"
#include "graph/dump.h"

#include <stdio.h>
#include <string.h>

#define MANY_EDGES (1u << 18)

typedef struct tracer {
    const hd_legend *l;
    const hd_outcome *o;
    hd_file *f;
    const hd_event **of;   /* by task: its event; for an untraced join that of its last predecessor; or NULL */
    const hd_event **last; /* by task: the event of the predecessor that ended last */
    uint32_t *order;
    uint64_t n_flows;
} tracer;

static void tracer_clear(tracer *t)
{
    hd_delete(t->of, t->l->n_items * sizeof *t->of);
    hd_delete(t->last, t->l->n_items * sizeof *t->last);
    hd_delete(t->order, t->l->n_items * sizeof *t->order);
}

/* Sets `of` and `last` along the edges. */
static void find_causes(tracer *t)
{
    const hd_legend *l = t->l;
    uint64_t i;
    uint32_t w, k;
    for (w = 0; w < t->o->n_workers; w++)
        for (k = 0; k < hd_n_events(t->o, w); k++)
            if (!hd_event_is_spawned(&hd_events_of(t->o, w)[k]))
                t->of[hd_events_of(t->o, w)[k].task] = &hd_events_of(t->o, w)[k];
    for (i = 0; i < t->l->n_items; i++) {
        const uint32_t from = t->order[i], n = l->n_after(l->self, from);
        if (!t->of[from] && l->is_point(l->self, from))
            t->of[from] = t->last[from];
        for (k = 0; t->of[from] && k < n; k++) {
            const hd_event **last = &t->last[l->after(l->self, from, k)];
            if (!*last || t->of[from]->end > (*last)->end)
                *last = t->of[from];
        }
    }
}

static heddle_status tracer_init(tracer *t, const hd_outcome *o, hd_error *e)
{
    memset(t, 0, sizeof *t);
    t->l = &o->legend;
    t->o = o;
    if (!t->l->n_items)
        return HEDDLE_OK;
    t->of = hd_new(t->l->n_items * sizeof *t->of);
    t->last = hd_new(t->l->n_items * sizeof *t->last);
    t->order = t->l->sorted(t->l->self);
    if (t->of && t->last && t->order) {
        find_causes(t);
        return HEDDLE_OK;
    }
    tracer_clear(t);
    return hd_say(e, HEDDLE_ENOMEM, "a trace: out of memory");
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static void print_names(const tracer *t)
{
    char name[64];
    uint32_t w;
    hd_file_print(t->f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"heddle %s\"}}",
                  t->o->backend);
    for (w = 0; w < hd_n_rows(t->o); w++) {
        if (t->l->row_name)
            t->l->row_name(t->l->self, w, name, sizeof name);
        else
            snprintf(name, sizeof name, "%s %u", t->l->row, w);
        hd_file_print(
            t->f,
            ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":\"%s\"}}"
            ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
            w, name, w, w);
    }
}

/* "band 17", so that viewers tell bands apart. */
static void print_stretch(const tracer *t, uint32_t worker, const hd_event *ev)
{
    const uint64_t begin = hd_since(t->o, ev->begin), ns = hd_event_ns(ev) ? hd_event_ns(ev) : 1;
    hd_stretch s;
    t->l->stretch_of(t->l->self, ev, &s);
    hd_file_print(t->f,
                  ",\n{\"ph\":\"X\",\"name\":\"band %u\",\"cat\":\"task\",\"pid\":0,\"tid\":%u,\"ts\":" HD_US
                  ",\"dur\":" HD_US ",\"args\":{\"body\":",
                  s.band, worker * hd_n_lanes(t->o) + hd_lane_of(t->o, ev), HD_US_OF(begin), HD_US_OF(ns));
    hd_print_json(t->f, hd_kind_name(t->o, hd_kind_of(t->o, ev)));
    hd_file_print(t->f,
                  ",\"task\":%u,\"item\":%u,\"pass\":%u,\"band\":%u,\"first_column\":%llu,\"last_column\":%llu,"
                  "\"waited_us\":" HD_US "}}",
                  hd_event_task(ev), s.item, s.pass, s.band, (unsigned long long)s.first, (unsigned long long)s.last,
                  HD_US_OF(hd_event_waited(ev)));
}

static void print_name(const tracer *t, const hd_event *ev)
{
    char name[128];
    if (!t->l->event_name) {
        hd_print_json(t->f, hd_kind_name(t->o, hd_kind_of(t->o, ev)));
        return;
    }
    t->l->event_name(t->l->self, ev, name, sizeof name);
    hd_print_json(t->f, name);
}

static void print_slice(const tracer *t, uint32_t worker, const hd_event *ev)
{
    uint64_t begin = hd_since(t->o, ev->begin), ns = hd_event_ns(ev) ? hd_event_ns(ev) : 1;
    if (hd_event_is_stretch(ev)) {
        print_stretch(t, worker, ev);
        return;
    }
    hd_file_print(t->f, ",\n{\"ph\":\"X\",\"name\":");
    print_name(t, ev);
    hd_file_print(t->f,
                  ",\"cat\":\"task\",\"pid\":0,\"tid\":%u,\"ts\":" HD_US ",\"dur\":" HD_US
                  ",\"args\":{\"task\":%u,\"idle_us\":" HD_US ",\"queue_us\":" HD_US ",\"dep_us\":" HD_US,
                  worker * hd_n_lanes(t->o), HD_US_OF(begin), HD_US_OF(ns),
                  hd_event_is_spawned(ev) ? HEDDLE_TASK_SPAWNED : ev->task, HD_US_OF(ev->idle), HD_US_OF(ev->queue),
                  HD_US_OF(ev->dep));
    if (t->l->print_args)
        t->l->print_args(t->l->self, ev, t->f);
    hd_file_print(t->f, "}}");
}

static uint32_t worker_of(const tracer *t, const hd_event *ev)
{
    return (uint32_t)((ev - t->o->events) / t->o->n_trace);
}

static void print_flow(tracer *t, const hd_event *from, const hd_event *to)
{
    uint64_t start = hd_since(t->o, from->begin) + (hd_event_ns(from) ? hd_event_ns(from) - 1 : 0);
    unsigned long long id = ++t->n_flows;
    hd_file_print(t->f,
                  ",\n{\"ph\":\"s\",\"name\":\"edge\",\"cat\":\"edge\",\"id\":%llu,\"pid\":0,\"tid\":%u,\"ts\":" HD_US
                  "}"
                  ",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"edge\",\"cat\":\"edge\",\"id\":%llu,\"pid\":0,\"tid\":%u,"
                  "\"ts\":" HD_US "}",
                  id, worker_of(t, from), HD_US_OF(start), id, worker_of(t, to), HD_US_OF(hd_since(t->o, to->begin)));
}

static void print_all_edges(tracer *t, uint32_t from)
{
    const hd_legend *l = t->l;
    const uint32_t n = l->n_after(l->self, from);
    uint32_t k;
    for (k = 0; t->of[from] && k < n; k++) {
        uint32_t to = l->after(l->self, from, k);
        if (t->of[to] && t->of[to] != t->last[to]) /* not an untraced join, which borrows its cause's event */
            print_flow(t, t->of[from], t->of[to]);
    }
}

static void print_flows(tracer *t)
{
    uint32_t i;
    for (i = 0; i < t->l->n_items; i++)
        if (t->l->n_edges <= MANY_EDGES)
            print_all_edges(t, i);
        else if (t->of[i] && t->last[i] && t->of[i] != t->last[i])
            print_flow(t, t->last[i], t->of[i]);
}

static void print_totals(const tracer *t, const heddle_stats *s)
{
    hd_file_print(
        t->f,
        "],\"heddle\":{\"version\":\"%d.%d.%d\",\"backend\":\"%s\",\"schedule\":\"%s\",\"workers\":%u,\"lanes\":%u,"
        "\"run_us\":" HD_US ",\"path_us\":" HD_US ",\"events\":%llu,\"dropped\":%llu,\"tasks\":%llu,"
        "\"flows\":\"%s\"",
        HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH, t->o->backend, hd_way_name(t->o),
        s->n_workers, hd_n_lanes(t->o), HD_US_OF(s->run_ns), HD_US_OF(s->path_ns), (unsigned long long)s->n_events,
        (unsigned long long)s->n_dropped, (unsigned long long)s->n_tasks,
        t->l->n_edges <= MANY_EDGES ? "all edges" : "last predecessors");
    if (t->l->note) {
        hd_file_print(t->f, ",\"note\":");
        hd_print_json(t->f, t->l->note);
    }
    hd_file_print(t->f, "}}\n");
}

static void print_all(tracer *t, const heddle_stats *s)
{
    uint32_t w, i;
    hd_file_print(t->f, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    print_names(t);
    for (w = 0; w < t->o->n_workers; w++)
        for (i = 0; i < hd_n_events(t->o, w); i++)
            print_slice(t, w, &hd_events_of(t->o, w)[i]);
    if (t->l->print_more)
        t->l->print_more(t->l->self, t->f);
    print_flows(t); /* after all slices: at equal times a viewer keeps the file's order */
    print_totals(t, s);
}

heddle_status hd_write_trace(const hd_outcome *o, const char *path, hd_error *e)
{
    tracer t;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_status s;
    if (!path || !o->events)
        return hd_say(e, HEDDLE_EINVAL, "a trace: %s", path ? "the run was not traced (n_trace is 0)" : "path is NULL");
    HD_TRY(hd_report_stats(o, &stats, e));
    HD_TRY(tracer_init(&t, o, e));
    s = hd_file_create(&t.f, path, e);
    if (s == HEDDLE_OK) {
        print_all(&t, &stats);
        s = hd_file_commit(t.f, e);
    }
    tracer_clear(&t);
    return s;
}
