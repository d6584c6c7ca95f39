/* SPDX-License-Identifier: MIT */
/* chart.c - what units did in a traced run, as an outcome, from which run/report.h makes files. A core has a row, and a slice of it is one
 * event. An accelerator that runs slices of a loop has a row for each of its queues. If it tells of phases (heddle_accelerator.marked), a
 * slice there is up to three events, copies in, bodies and copies out; and each phase has a row of its own with the events of all queues:
 * the link in both directions, and the device. Else it is two: until its bodies have ended, copies in included, and until its results are
 * home. An accelerator that runs strides of a wavefront has the three rows of phases. One that has slices of jobs has a fourth, with copies from
 * other accelerators and within its memory; events have the names of their jobs' bodies, of which the first MOST_NAMES are told apart. */
#include "engine/loop/fleet.h"

#include "graph/dump.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_NAMES 12u /* of bodies of jobs */
#define NAME_BYTES 48u
#define OTHERS "others"

typedef struct chart_unit {
    hd_chart_unit is;
    uint32_t first_row;
} chart_unit;

typedef struct chart_row {
    uint32_t unit, queue; /* queue: or the number of queues and a phase's place among the rows of phases */
} chart_row;

struct hd_chart {
    hd_chart_form form;
    uint32_t n_rows;
    uint64_t start_ns, time_ns; /* of the run; 0: there was none */
    chart_unit *units;
    chart_row *rows;
    hd_tally *tallies;
    hd_event *events; /* n_trace a row; `task` is the place in parts, `queue` the kind */
    hd_chart_part *parts;
    hd_chart_job *jobs; /* of each event; NULL: it is not of jobs */
    char names[MOST_NAMES][NAME_BYTES];
    uint32_t n_names;
};

/* A kind is a phase but the first, which is none. Of jobs there is one more for copies within a device, the phase of bodies stands for the
 * first name, and the other names follow. */
#define KIND_WITHIN HD_CHART_JOBS_PHASES
#define JOBS_KINDS (KIND_WITHIN + 1u)

static int is_alone(const hd_chart_unit *u) { return !u->n_queues && !u->n_phases; }
static uint32_t rows_of(const hd_chart_unit *u) { return is_alone(u) ? 1u : u->n_queues + u->n_phases; }

/* ---- room -------------------------------------------------------------------------------------------------------------- */

void hd_chart_delete(hd_chart *c)
{
    const uint64_t n = c ? (uint64_t)c->n_rows * c->form.n_trace : 0;
    if (!c)
        return;
    hd_delete(c->units, c->form.n_units * sizeof *c->units);
    hd_delete(c->rows, c->n_rows * sizeof *c->rows);
    hd_delete(c->tallies, c->n_rows * sizeof *c->tallies);
    hd_delete_sparse(c->events, n * sizeof *c->events);
    hd_delete_sparse(c->parts, n * sizeof *c->parts);
    hd_delete_sparse(c->jobs, c->jobs ? n * sizeof *c->jobs : 0);
    hd_delete(c, sizeof *c);
}

static int get_units(hd_chart *c, const void *self)
{
    uint32_t i;
    c->units = hd_new(c->form.n_units * sizeof *c->units);
    for (i = 0; c->units && i < c->form.n_units; i++) {
        c->units[i] = (chart_unit){c->form.unit(self, i), c->n_rows};
        c->n_rows += rows_of(&c->units[i].is);
    }
    return c->units ? 0 : -1;
}

static int get_rows(hd_chart *c)
{
    const uint64_t n = (uint64_t)c->n_rows * c->form.n_trace;
    uint32_t i, q;
    c->rows = hd_new(c->n_rows * sizeof *c->rows);
    c->tallies = hd_new(c->n_rows * sizeof *c->tallies);
    c->events = hd_new_sparse(n * sizeof *c->events);
    c->parts = hd_new_sparse(n * sizeof *c->parts);
    if (c->form.is_of_jobs)
        c->jobs = hd_new_sparse(n * sizeof *c->jobs);
    if (!c->rows || !c->tallies || !c->events || !c->parts || (c->form.is_of_jobs && !c->jobs))
        return -1;
    for (i = 0; i < c->form.n_units; i++)
        for (q = 0; q < rows_of(&c->units[i].is); q++)
            c->rows[c->units[i].first_row + q] = (chart_row){i, q};
    return 0;
}

hd_chart *hd_chart_new(const hd_chart_form *form, const void *self)
{
    hd_chart *c = hd_new(sizeof *c);
    if (!c)
        return NULL;
    c->form = *form;
    if (get_units(c, self) || get_rows(c)) {
        hd_chart_delete(c);
        return NULL;
    }
    return c;
}

void hd_chart_clear(hd_chart *c)
{
    uint32_t i;
    for (i = 0; c && i < c->n_rows; i++)
        memset(&c->tallies[i], 0, sizeof c->tallies[i]);
}

void hd_chart_end(hd_chart *c, uint64_t start_ns, uint64_t time_ns)
{
    if (!c)
        return;
    c->start_ns = start_ns;
    c->time_ns = time_ns;
}

/* Returns the event, or NULL without room for it. */
static hd_event *add(hd_chart *c, uint32_t row, const hd_chart_part *p)
{
    uint64_t at;
    if (c->tallies[row].n_events == c->form.n_trace) {
        c->tallies[row].n_dropped++;
        return NULL;
    }
    at = (uint64_t)row * c->form.n_trace + c->tallies[row].n_events++;
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

/* A slice is a task: it is counted once, when its bodies have ended. */
void hd_chart_note(hd_chart *c, uint32_t unit, const hd_chart_part *p)
{
    const hd_chart_unit *u = c ? &c->units[unit].is : NULL;
    uint32_t row;
    hd_event *ev;
    if (!c)
        return;
    row = c->units[unit].first_row + p->queue;
    if (u->n_queues || is_alone(u)) {
        c->tallies[row].n_tasks += p->phase == HEDDLE_PHASE_BODIES;
        (void)add(c, row, p);
    }
    if (!u->n_phases)
        return;
    row = c->units[unit].first_row + u->n_queues + p->phase - 1u;
    if (!u->n_queues)
        c->tallies[row].n_tasks += p->phase == HEDDLE_PHASE_BODIES;
    if ((ev = add(c, row, p)))
        settle(&c->events[(uint64_t)row * c->form.n_trace], ev);
}

/* The number of a body's name. */
static uint32_t name_of(hd_chart *c, const char *body)
{
    uint32_t i;
    for (i = 0; i < c->n_names; i++)
        if (!strncmp(c->names[i], body, NAME_BYTES - 1u))
            return i;
    if (i == MOST_NAMES)
        return i - 1u;
    (void)snprintf(c->names[i], NAME_BYTES, "%s", i + 1u < MOST_NAMES ? body : OTHERS);
    return c->n_names++;
}

void hd_chart_note_job(hd_chart *c, uint32_t unit, const hd_chart_part *p, const hd_chart_job *j)
{
    const uint32_t row = c->units[unit].first_row + p->phase - 1u, name = j->body ? name_of(c, j->body) : 0;
    hd_event *ev;
    c->tallies[row].n_tasks += p->phase == HEDDLE_PHASE_BODIES;
    if (!(ev = add(c, row, p)))
        return;
    c->jobs[ev->task] = *j;
    c->jobs[ev->task].body = j->body ? c->names[name] : NULL;
    if (name)
        ev->queue = JOBS_KINDS - 1u + name;
    else if (p->phase == HD_CHART_PEERS && j->from == unit)
        ev->queue = KIND_WITHIN;
    settle(&c->events[(uint64_t)row * c->form.n_trace], ev);
}

void hd_chart_drop(hd_chart *c, uint32_t unit, uint32_t phase)
{
    c->tallies[c->units[unit].first_row + phase - 1u].n_dropped++;
}

static uint64_t between(uint64_t low, uint64_t x, uint64_t high) { return x < low ? low : hd_at_most(x, high); }

void hd_chart_note_marked(hd_chart *c, uint32_t unit, const heddle_accelerator *a, const hd_chart_part *p,
                          uint64_t *since_ns, uint64_t now_ns)
{
    hd_chart_part part = *p;
    if (a->marked(a->self, p->queue, p->phase, &part.begin_ns, &part.end_ns) != HEDDLE_OK)
        return;
    part.begin_ns = between(*since_ns, part.begin_ns, now_ns);
    part.end_ns = *since_ns = between(part.begin_ns, part.end_ns, now_ns);
    hd_chart_note(c, unit, &part);
}

/* ---- what reports ask of it --------------------------------------------------------------------------------------------- */

static uint32_t kind_of(const void *self, const hd_event *ev)
{
    (void)self;
    return ev->queue;
}

static const char *kind_name(const void *self, uint32_t kind)
{
    const hd_chart *c = self;
    const char *const names[] = {"copies in", c->n_names ? c->names[0] : c->form.title,
                                 c->form.is_of_jobs ? "copies home" : "results go home", "copies from others",
                                 "copies within"};
    return kind < JOBS_KINDS ? names[kind] : c->names[kind - JOBS_KINDS + 1u];
}

static uint32_t n_kinds(const hd_chart *c)
{
    return c->form.is_of_jobs ? JOBS_KINDS + c->n_names - (c->n_names > 0) : HD_CHART_PHASES;
}

static void row_name(const void *self, uint32_t row, char *to, size_t n)
{
    const hd_chart *c = self;
    const char *const names[] = {"link in", c->form.bodies, "link out", "peers"};
    const chart_row *r = &c->rows[row];
    const hd_chart_unit *u = &c->units[r->unit].is;
    if (is_alone(u))
        (void)snprintf(to, n, "%s", u->name);
    else if (r->queue >= u->n_queues)
        (void)snprintf(to, n, "%s, %s", u->name, names[r->queue - u->n_queues]);
    else
        (void)snprintf(to, n, "%s, queue %u", u->name, r->queue);
}

/* "step, job 3: 0 to 99", "rows 0 to 99 of array 1, job 3". */
static void event_name(const void *self, const hd_event *ev, char *to, size_t n)
{
    const hd_chart *c = self;
    const hd_chart_part *p = &c->parts[ev->task];
    const hd_chart_job *j = &c->jobs[ev->task];
    char job[32] = "";
    if (j->job != UINT64_MAX)
        (void)snprintf(job, sizeof job, ", job %" PRIu64, j->job);
    if (j->n_runs)
        (void)snprintf(to, n, "%" PRIu64 " runs of a sequence", j->n_runs);
    else if (j->body)
        (void)snprintf(to, n, "%s%s: %" PRIu64 " to %" PRIu64, j->body, job, p->begin, p->end - 1u);
    else
        (void)snprintf(to, n, "rows %" PRIu64 " to %" PRIu64 " of array %u%s", p->begin, p->end - 1u, j->array, job);
}

static void print_job(const hd_chart *c, const hd_event *ev, hd_file *f)
{
    const hd_chart_job *j = &c->jobs[ev->task];
    hd_file_print(f, ",\"body\":");
    hd_print_json(f, kind_name(c, ev->queue));
    if (j->job != UINT64_MAX)
        hd_file_print(f, ",\"job\":%" PRIu64, j->job);
    if (j->n_runs)
        hd_file_print(f, ",\"runs\":%" PRIu64, j->n_runs);
    if (j->end_2)
        hd_file_print(f, ",\"begin_2\":%" PRIu64 ",\"end_2\":%" PRIu64, j->begin_2, j->end_2);
    if (!j->body)
        hd_file_print(f, ",\"array\":%u", j->array);
    if (c->parts[ev->task].phase == HD_CHART_PEERS) {
        hd_file_print(f, ",\"from\":");
        hd_print_json(f, c->units[j->from].is.name);
    }
}

static void print_args(const void *self, const hd_event *ev, hd_file *f)
{
    const hd_chart *c = self;
    const hd_chart_part *p = &c->parts[ev->task];
    hd_file_print(f, ",\"begin\":%" PRIu64 ",\"end\":%" PRIu64, p->begin, p->end);
    if (p->n_bytes)
        hd_file_print(f, ",\"bytes\":%" PRIu64, p->n_bytes);
    if (c->jobs)
        print_job(c, ev, f);
}

static void fill(const hd_chart *c, hd_outcome *o)
{
    memset(o, 0, sizeof *o);
    o->n_workers = c->n_rows;
    o->n_trace = c->form.n_trace;
    o->begin_ns = c->start_ns;
    o->end_ns = c->start_ns + c->time_ns;
    o->tallies = c->tallies;
    o->events = c->events;
    o->backend = "fleet";
    o->how = "";
    o->legend = (hd_legend){.self = c,
                            .title = c->form.title,
                            .row = c->n_rows > c->form.n_units ? "row" : "unit",
                            .n_kinds = n_kinds(c),
                            .kind_of = kind_of,
                            .kind_name = kind_name,
                            .way = c->form.way,
                            .row_name = row_name,
                            .event_name = c->jobs ? event_name : NULL,
                            .print_args = print_args};
}

static heddle_status check(const hd_chart *c, const hd_fleet_turn *t, const char *what, const char *path,
                           const char *call)
{
    if (!t || !path)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the %s is NULL", call, t ? "path" : what);
    HD_TRY(hd_fleet_check_process(t->fleet, call));
    if (hd_turns_state(t) == HD_TURN_STARTED)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: the %s is running", call, what);
    if (!c || !c->time_ns)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the %s has no trace: set n_trace of its description, and run it", call,
                      what);
    return HEDDLE_OK;
}

/* Rows of phases have the events of queues once more. */
static void get_row(const hd_chart *c, uint32_t row, heddle_loop_slice *out, uint64_t most, uint64_t *n)
{
    const uint64_t first = (uint64_t)row * c->form.n_trace;
    uint64_t i;
    for (i = first; i < first + c->tallies[row].n_events; i++) {
        const hd_chart_part *p = &c->parts[i];
        if (p->phase != HEDDLE_PHASE_BODIES)
            continue;
        if (*n < most)
            out[*n] = (heddle_loop_slice){p->begin, p->end, p->begin_ns - c->start_ns, p->end_ns - c->start_ns,
                                          c->rows[row].unit};
        ++*n;
    }
}

heddle_status hd_chart_get_slices(const hd_chart *c, const hd_fleet_turn *t, heddle_loop_slice *out, uint64_t most,
                                  uint64_t *n, const char *call)
{
    uint32_t row;
    HD_TRY(check(c, t, "loop", "", call));
    *n = 0;
    for (row = 0; row < c->n_rows; row++) {
        const hd_chart_unit *u = &c->units[c->rows[row].unit].is;
        if (is_alone(u) || c->rows[row].queue < u->n_queues)
            get_row(c, row, out, most, n);
    }
    return HEDDLE_OK;
}

heddle_status hd_chart_write_trace(const hd_chart *c, const hd_fleet_turn *t, const char *what, const char *path,
                                   const char *call)
{
    hd_outcome o;
    HD_TRY(check(c, t, what, path, call));
    fill(c, &o);
    return hd_write_trace(&o, path, NULL);
}

heddle_status hd_chart_write_timeline(const hd_chart *c, const hd_fleet_turn *t, const char *what, const char *path,
                                      const char *title, const char *call)
{
    hd_outcome o;
    HD_TRY(check(c, t, what, path, call));
    fill(c, &o);
    return hd_write_timeline(&o, path, title, NULL);
}
