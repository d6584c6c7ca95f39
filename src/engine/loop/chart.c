/* SPDX-License-Identifier: MIT */
/* chart.c - what units did in a traced run, as an outcome, from which run/report.h makes files. A core has a row, and a slice of it is one
 * event. An accelerator has a row for each of its queues. If it tells of phases (heddle_accelerator.marked), a slice there is up to
 * three events, copies in, bodies and copies out; and each phase has a row of its own with the events of all queues: the link in both
 * directions, and the device. Else it is two: until its bodies have ended, copies in included, and until its results are home. */
#include "engine/loop/fleet.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct hd_chart_row {
    uint32_t unit, queue; /* queue: or the number of queues and a phase's place among the rows of phases */
} hd_chart_row;

struct hd_chart {
    uint32_t n_rows, n_trace;
    hd_chart_row *rows;
    hd_tally *tallies;
    hd_event *events; /* n_trace a row; `task` is the place in parts, `queue` the kind */
    hd_chart_part *parts;
};

#define N_KINDS (HEDDLE_N_PHASES - 1u) /* a kind is a phase but the first, which is none */

static uint32_t rows_of(const hd_fleet_unit *u)
{
    return u->is_core ? 1u : u->acc.n_queues + (u->acc.mark ? N_KINDS : 0u);
}

/* ---- room -------------------------------------------------------------------------------------------------------------- */

void hd_chart_delete(hd_chart *c)
{
    const uint64_t n = c ? (uint64_t)c->n_rows * c->n_trace : 0;
    if (!c)
        return;
    hd_delete(c->rows, c->n_rows * sizeof *c->rows);
    hd_delete(c->tallies, c->n_rows * sizeof *c->tallies);
    hd_delete_sparse(c->events, n * sizeof *c->events);
    hd_delete_sparse(c->parts, n * sizeof *c->parts);
    hd_delete(c, sizeof *c);
}

static int get_room(hd_chart *c)
{
    const uint64_t n = (uint64_t)c->n_rows * c->n_trace;
    c->rows = hd_new(c->n_rows * sizeof *c->rows);
    c->tallies = hd_new(c->n_rows * sizeof *c->tallies);
    c->events = hd_new_sparse(n * sizeof *c->events);
    c->parts = hd_new_sparse(n * sizeof *c->parts);
    return c->rows && c->tallies && c->events && c->parts ? 0 : -1;
}

hd_chart *hd_chart_new(heddle_loop *l, uint32_t n_trace)
{
    hd_chart *c = hd_new(sizeof *c);
    uint32_t i, q, row = 0;
    if (!c)
        return NULL;
    c->n_trace = n_trace;
    for (i = 0; i < l->fleet->units.n; i++) {
        l->runs[i].first_row = c->n_rows;
        c->n_rows += rows_of(hd_unit_at(l->fleet, i));
    }
    if (get_room(c)) {
        hd_chart_delete(c);
        return NULL;
    }
    for (i = 0; i < l->fleet->units.n; i++)
        for (q = 0; q < rows_of(hd_unit_at(l->fleet, i)); q++)
            c->rows[row++] = (hd_chart_row){i, q};
    return c;
}

void hd_chart_clear(hd_chart *c)
{
    uint32_t i;
    for (i = 0; c && i < c->n_rows; i++)
        memset(&c->tallies[i], 0, sizeof c->tallies[i]);
}

/* Returns the event, or NULL without room for it. */
static hd_event *add(hd_chart *c, uint32_t row, const hd_chart_part *p)
{
    uint64_t at;
    if (c->tallies[row].n_events == c->n_trace) {
        c->tallies[row].n_dropped++;
        return NULL;
    }
    at = (uint64_t)row * c->n_trace + c->tallies[row].n_events++;
    c->parts[at] = *p;
    c->events[at] = (hd_event){.begin = p->begin_ns, .end = p->end_ns, .task = (uint32_t)at, .queue = p->phase - 1u};
    return &c->events[at];
}

static void begin_behind(hd_event *ev, const hd_event *before)
{
    ev->begin = ev->begin < before->end ? before->end : ev->begin;
}

/* Puts the last event of a phase's row in its place by ends, since the manager may see ends in another order. Of two at a time the
 * later one begins with the end of the other: it may have waited for that one, and viewers want no overlaps. */
static void settle(hd_event *first, hd_event *last)
{
    const hd_event ev = *last;
    hd_event *at = last;
    for (; at > first && at[-1].end > ev.end; at--)
        *at = at[-1];
    *at = ev;
    if (at > first)
        begin_behind(at, at - 1);
    if (at < last)
        begin_behind(at + 1, at);
}

/* Each row is written by one thread. A slice is a task: it is counted once, when its bodies have ended. */
void hd_chart_note(heddle_loop *l, uint32_t unit, const hd_chart_part *p)
{
    hd_chart *c = l->chart;
    const hd_fleet_unit *u = hd_unit_at(l->fleet, unit);
    uint32_t row;
    hd_event *ev;
    if (!c)
        return;
    row = l->runs[unit].first_row;
    c->tallies[row + p->slice.number].n_tasks += p->phase == HEDDLE_PHASE_BODIES;
    (void)add(c, row + p->slice.number, p);
    if (u->is_core || !u->acc.mark)
        return;
    row += u->acc.n_queues + p->phase - 1u;
    if ((ev = add(c, row, p)))
        settle(&c->events[(uint64_t)row * c->n_trace], ev);
}

/* ---- what reports ask of it --------------------------------------------------------------------------------------------- */

static uint32_t kind_of(const void *self, const hd_event *ev)
{
    (void)self;
    return ev->queue;
}

static const char *kind_name(const void *self, uint32_t kind)
{
    const heddle_loop *l = self;
    static const char *const names[N_KINDS] = {"copies in", NULL, "results go home"};
    return names[kind] ? names[kind] : l->table->bodies[l->desc.body].name;
}

static void row_name(const void *self, uint32_t row, char *to, size_t n)
{
    const heddle_loop *l = self;
    static const char *const names[N_KINDS] = {"link in", "bodies", "link out"};
    const hd_chart_row *r = &l->chart->rows[row];
    const hd_fleet_unit *u = hd_unit_at(l->fleet, r->unit);
    if (u->is_core)
        (void)snprintf(to, n, "%s", u->name);
    else if (r->queue >= u->acc.n_queues)
        (void)snprintf(to, n, "%s, %s", u->name, names[r->queue - u->acc.n_queues]);
    else
        (void)snprintf(to, n, "%s, queue %u", u->name, r->queue);
}

static void print_args(const void *self, const hd_event *ev, hd_file *f)
{
    const heddle_loop *l = self;
    const hd_chart_part *p = &l->chart->parts[ev->task];
    hd_file_print(f, ",\"begin\":%" PRIu64 ",\"end\":%" PRIu64, hd_grain_begin(l, p->slice.begin),
                  hd_grain_begin(l, p->slice.end));
    if (p->n_bytes)
        hd_file_print(f, ",\"bytes\":%" PRIu64, p->n_bytes);
}

static heddle_status make(const heddle_loop *l, hd_outcome *o, const char *path, const char *call)
{
    if (!l || !path)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: %s is NULL", call, l ? "path" : "the loop");
    if (hd_turns_state(l) == HD_LOOP_STARTED)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: the loop is running", call);
    if (!l->chart || !l->time_ns)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the loop has no trace: set n_trace of its description, and run it",
                      call);
    memset(o, 0, sizeof *o);
    o->n_workers = l->chart->n_rows;
    o->n_trace = l->chart->n_trace;
    o->begin_ns = l->start_ns;
    o->end_ns = l->start_ns + l->time_ns;
    o->tallies = l->chart->tallies;
    o->events = l->chart->events;
    o->backend = "fleet";
    o->how = "";
    o->legend = (hd_legend){.self = l,
                            .title = l->table->bodies[l->desc.body].name,
                            .row = l->chart->n_rows > l->fleet->units.n ? "row" : "unit",
                            .n_kinds = N_KINDS,
                            .kind_of = kind_of,
                            .kind_name = kind_name,
                            .way = heddle_split_name(l->desc.split),
                            .row_name = row_name,
                            .print_args = print_args};
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_write_trace(const heddle_loop *l, const char *path)
{
    hd_outcome o;
    HD_TRY(make(l, &o, path, "heddle_loop_write_trace"));
    return hd_write_trace(&o, path, NULL);
}

HEDDLE_API heddle_status heddle_loop_write_timeline(const heddle_loop *l, const char *path, const char *title)
{
    hd_outcome o;
    HD_TRY(make(l, &o, path, "heddle_loop_write_timeline"));
    return hd_write_timeline(&o, path, title, NULL);
}
