/* SPDX-License-Identifier: MIT */
/* chart.c - what units did in a traced run, as an outcome, from which run/report.h makes files. A core has a row, an accelerator one for each
 * of its queues. A slice of a core is one event; a slice in a queue is two: until its bodies have ended, copies in included, and until
 * its results are home. */
#include "engine/loop/fleet.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct hd_chart_row {
    uint32_t unit, queue;
} hd_chart_row;

struct hd_chart {
    uint32_t n_rows, n_trace;
    hd_chart_row *rows;
    hd_tally *tallies;
    hd_event *events; /* n_trace a row; `task` is the place in slices, `queue` the kind */
    hd_slice *slices;
};

static uint32_t rows_of(const hd_fleet_unit *u) { return u->is_core ? 1u : u->acc.n_queues; }

/* ---- room -------------------------------------------------------------------------------------------------------------- */

void hd_chart_delete(hd_chart *c)
{
    const uint64_t n = c ? (uint64_t)c->n_rows * c->n_trace : 0;
    if (!c)
        return;
    hd_delete(c->rows, c->n_rows * sizeof *c->rows);
    hd_delete(c->tallies, c->n_rows * sizeof *c->tallies);
    hd_delete_sparse(c->events, n * sizeof *c->events);
    hd_delete_sparse(c->slices, n * sizeof *c->slices);
    hd_delete(c, sizeof *c);
}

static int get_room(hd_chart *c)
{
    const uint64_t n = (uint64_t)c->n_rows * c->n_trace;
    c->rows = hd_new(c->n_rows * sizeof *c->rows);
    c->tallies = hd_new(c->n_rows * sizeof *c->tallies);
    c->events = hd_new_sparse(n * sizeof *c->events);
    c->slices = hd_new_sparse(n * sizeof *c->slices);
    return c->rows && c->tallies && c->events && c->slices ? 0 : -1;
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

/* Each row is written by one thread. */
void hd_chart_note(heddle_loop *l, uint32_t unit, hd_chart_kind kind, const hd_slice *s, uint64_t begin_ns,
                   uint64_t end_ns)
{
    hd_chart *c = l->chart;
    const uint32_t row = c ? l->runs[unit].first_row + s->number : 0;
    uint64_t at;
    if (!c)
        return;
    c->tallies[row].n_tasks++;
    if (c->tallies[row].n_events == c->n_trace)
        return;
    at = (uint64_t)row * c->n_trace + c->tallies[row].n_events++;
    c->slices[at] = *s;
    c->events[at] = (hd_event){.begin = begin_ns, .end = end_ns, .task = (uint32_t)at, .queue = (uint32_t)kind};
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
    return kind == HD_CHART_BODIES ? l->table->bodies[l->desc.body].name : "results go home";
}

static void row_name(const void *self, uint32_t row, char *to, size_t n)
{
    const heddle_loop *l = self;
    const hd_chart_row *r = &l->chart->rows[row];
    const hd_fleet_unit *u = hd_unit_at(l->fleet, r->unit);
    if (u->is_core)
        (void)snprintf(to, n, "%s", u->name);
    else
        (void)snprintf(to, n, "%s, queue %u", u->name, r->queue);
}

static void print_args(const void *self, const hd_event *ev, hd_file *f)
{
    const heddle_loop *l = self;
    const hd_slice *s = &l->chart->slices[ev->task];
    hd_file_print(f, ",\"begin\":%" PRIu64 ",\"end\":%" PRIu64, hd_grain_begin(l, s->begin), hd_grain_begin(l, s->end));
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
                            .row = "unit",
                            .n_kinds = HD_CHART_N_KINDS,
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
