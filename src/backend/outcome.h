/* SPDX-License-Identifier: MIT */
/* outcome.h - the result of a run: the backend fills it, higher layers read it. Pointers stay valid until the next start or
 * unload. */
#ifndef HD_OUTCOME_H
#define HD_OUTCOME_H

#include "base/file.h"
#include "graph/graph.h"

/* Time spent on making work runnable so far; included are planning and finding kernels. */
typedef struct hd_cost {
    uint64_t load_ns, plan_ns, kernel_ns;
} hd_cost;

/* A stretch of a band of a wave (core/notes.h). */
typedef struct hd_stretch {
    uint32_t item, pass, band;
    uint64_t first, last; /* columns */
} hd_stretch;

/* How to read the events of a run: their names, and the order of items. The work that ran provides it, and reports use
 * nothing else of that work. Items are the numbers in hd_event.task. */
typedef struct hd_legend {
    const void *self;
    const char *title; /* title of pictures */
    const char *row;   /* label of a picture's row: "worker" */
    uint32_t n_lanes;  /* bands that a worker runs at a time, each with a row of its own; 0 counts as 1 */
    void (*stretch_of)(const void *self, const hd_event *ev, hd_stretch *out); /* of events that are one */
    uint32_t n_kinds; /* kinds of events with their own colour and statistics */
    /* The kind of an event. A kind >= n_kinds has a name, but no statistics, and is not drawn. */
    uint32_t (*kind_of)(const void *self, const hd_event *ev);
    const char *(*kind_name)(const void *self, uint32_t kind);
    /* Edges between items. If n_items is 0 there are none, and the functions below are not called. */
    uint64_t n_items, n_edges;
    uint32_t *(*sorted)(const void *self); /* items in topological order, from hd_new; NULL without memory */
    uint32_t (*n_after)(const void *self, uint32_t item);
    uint32_t (*after)(const void *self, uint32_t item, uint32_t i);
    int (*is_point)(const void *self, uint32_t item); /* no work: edges are drawn through it */
    /* What only some work has, or NULL: how it was run, in place of a schedule; what else is to be said. The name of a row; in
     * traces: the name of an event, in place of its kind's; more about an event, as `,"key":value`; more events, after all others. */
    const char *way, *note;
    void (*row_name)(const void *self, uint32_t row, char *to, size_t n);
    void (*event_name)(const void *self, const hd_event *ev, char *to, size_t n);
    void (*print_args)(const void *self, const hd_event *ev, hd_file *f);
    void (*print_more)(const void *self, hd_file *f);
} hd_legend;

/* Times are on the clock of the events. */
typedef struct hd_outcome {
    uint32_t n_workers, n_trace;
    uint64_t begin_ns, end_ns;
    const hd_tally *tallies;  /* one per worker */
    const hd_event *events;   /* n_trace per worker, its tally's n_events valid; NULL without a trace */
    const uint64_t *first_of; /* or: where each worker's events begin, and n_trace is unused; NULL from backends */
    uint64_t n_lost;          /* tasks of which no event was kept, and no tally tells */
    const char *backend;      /* set above the backend, as is the legend */
    heddle_schedule schedule; /* the schedule used */
    heddle_policy policy;
    uint32_t team_size;
    hd_legend legend;
    uint32_t stop, code, task; /* HD_STOP_...; code and task of a failed body */
    const char *how;           /* one line: the form and the reason; "" without a choice */
    uint32_t is_trying;        /* a trial run; other candidates are still to be tried */
    hd_cost cost;              /* from a backend: load_ns excludes load() */
} hd_outcome;

static inline uint32_t hd_n_events(const hd_outcome *o, uint32_t worker)
{
    return o->events ? o->tallies[worker].n_events : 0;
}
static inline const hd_event *hd_events_of(const hd_outcome *o, uint32_t worker)
{
    return o->events + (o->first_of ? o->first_of[worker] : (uint64_t)worker * o->n_trace);
}
/* A time relative to the run's begin. A GPU timer moves in steps, so an event may seem to begin earlier. */
static inline uint64_t hd_since(const hd_outcome *o, uint64_t t) { return t > o->begin_ns ? t - o->begin_ns : 0; }
static inline uint64_t hd_event_ns(const hd_event *ev) { return ev->end > ev->begin ? ev->end - ev->begin : 0; }
/* The event of a spawned task, which is not in the graph. */
static inline int hd_event_is_spawned(const hd_event *ev) { return (ev->task & HD_SPAWNED) != 0; }

/* A stretch of a band is a part of its task, and has waited in it. */
static inline int hd_event_is_stretch(const hd_event *ev)
{
    return (ev->task & (HD_SPAWNED | HD_EVENT_STRETCH)) == HD_EVENT_STRETCH;
}
static inline uint32_t hd_event_task(const hd_event *ev)
{
    return hd_event_is_stretch(ev) ? ev->task & ~HD_EVENT_STRETCH : ev->task;
}
static inline uint64_t hd_event_waited(const hd_event *ev) { return hd_event_is_stretch(ev) ? ev->idle : 0; }
static inline uint64_t hd_event_busy(const hd_event *ev)
{
    return hd_event_ns(ev) > hd_event_waited(ev) ? hd_event_ns(ev) - hd_event_waited(ev) : 0;
}

/* How it was run. */
static inline const char *hd_way_name(const hd_outcome *o)
{
    return o->legend.way ? o->legend.way : heddle_schedule_name(o->schedule);
}

/* Rows of pictures: a lane each. */
#define HD_MOST_LANES 32u
static inline uint32_t hd_n_lanes(const hd_outcome *o) { return o->legend.n_lanes ? o->legend.n_lanes : 1; }
static inline uint32_t hd_n_rows(const hd_outcome *o) { return o->n_workers * hd_n_lanes(o); }
static inline uint32_t hd_lane_of(const hd_outcome *o, const hd_event *ev)
{
    return hd_event_is_stretch(ev) ? ev->queue % hd_n_lanes(o) : 0;
}

static inline uint32_t hd_kind_of(const hd_outcome *o, const hd_event *ev)
{
    return o->legend.kind_of(o->legend.self, ev);
}
static inline const char *hd_kind_name(const hd_outcome *o, uint32_t kind)
{
    return o->legend.kind_name(o->legend.self, kind);
}

#endif
