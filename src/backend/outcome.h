/* SPDX-License-Identifier: MIT */
/* outcome.h - how a run went, in one struct: the backend fills it, the floors above read it. Pointers stay valid until the
 * next start or unload. */
#ifndef HD_OUTCOME_H
#define HD_OUTCOME_H

#include "graph/graph.h"

/* What making work runnable took so far; of it, planning and finding kernels. */
typedef struct hd_cost {
    uint64_t load_ns, plan_ns, kernel_ns;
} hd_cost;

/* How the events of a run are to be read: what they are called, which item came after which. The work that ran says so, and
 * reports ask nothing else of it. Items are the numbers in hd_event.task. */
typedef struct hd_legend {
    const void *self;
    const char *title; /* of pictures: what ran */
    const char *row;   /* what a row of a picture is: "worker" */
    uint32_t n_kinds;  /* of events: what has a colour and statistics of its own */
    /* The kind of an event; of n_kinds or more: it has a name, but is drawn in no picture and has no statistics. */
    uint32_t (*kind_of)(const void *self, const hd_event *ev);
    const char *(*kind_name)(const void *self, uint32_t kind);
    /* The edges between items. n_items 0: there are none, and what follows is not asked. */
    uint64_t n_items, n_edges;
    uint32_t *(*sorted)(const void *self); /* all items so that edges run forward: memory of hd_new, NULL without */
    uint32_t (*n_after)(const void *self, uint32_t item);
    uint32_t (*after)(const void *self, uint32_t item, uint32_t i);
    int (*is_point)(const void *self, uint32_t item); /* it is no work: edges are drawn on from its last predecessor */
} hd_legend;

/* Times are of the clock of its events. */
typedef struct hd_outcome {
    uint32_t n_workers, n_trace;
    uint64_t begin_ns, end_ns;
    const hd_tally *tallies;  /* one a worker */
    const hd_event *events;   /* n_trace a worker, of which its tally's n_events are valid; NULL without a trace */
    const char *backend;      /* this, and the legend, are filled in above the backend */
    heddle_schedule schedule; /* by which it was run */
    heddle_policy policy;
    uint32_t team_size;
    hd_legend legend;
    uint32_t stop, code, task; /* HD_STOP_...; of a failed body: its code and task */
    const char *how;           /* in one line, how it was run and why so; "" when there is nothing to choose */
    uint32_t is_trying;        /* it was run so to see how long that takes; other ways are still to be tried */
    hd_cost cost;              /* from a backend, load_ns is what came after its load() */
} hd_outcome;

static inline uint32_t hd_n_events(const hd_outcome *o, uint32_t worker)
{
    return o->events ? o->tallies[worker].n_events : 0;
}
static inline const hd_event *hd_events_of(const hd_outcome *o, uint32_t worker)
{
    return o->events + (uint64_t)worker * o->n_trace;
}
/* A time of the run, from its begin. A GPU's timer moves in steps, so an event may seem to begin before it. */
static inline uint64_t hd_since(const hd_outcome *o, uint64_t t) { return t > o->begin_ns ? t - o->begin_ns : 0; }
static inline uint64_t hd_event_ns(const hd_event *ev) { return ev->end > ev->begin ? ev->end - ev->begin : 0; }
/* Of a task that a body made: it is none of the graph's. */
static inline int hd_event_is_spawned(const hd_event *ev) { return (ev->task & HD_SPAWNED) != 0; }

static inline uint32_t hd_kind_of(const hd_outcome *o, const hd_event *ev)
{
    return o->legend.kind_of(o->legend.self, ev);
}
static inline const char *hd_kind_name(const hd_outcome *o, uint32_t kind)
{
    return o->legend.kind_name(o->legend.self, kind);
}

#endif
