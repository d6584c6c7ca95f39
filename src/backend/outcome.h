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

/* Times are of the clock of its events. */
typedef struct hd_outcome {
    uint32_t n_workers, n_trace;
    uint64_t begin_ns, end_ns;
    const hd_tally *tallies;      /* one a worker */
    const hd_event *events;       /* n_trace a worker, of which its tally's n_events are valid; NULL without a trace */
    const char *backend, *policy; /* filled in above the backend */
    uint32_t stop, code, task;    /* HD_STOP_...; of a failed body: its code and task */
    const char *how;              /* in one line, how it was run and why so; "" when there is nothing to choose */
    uint32_t is_trying;           /* it was run so to see how long that takes; other ways are still to be tried */
    hd_cost cost;                 /* from a backend, load_ns is what came after its load() */
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

#endif
