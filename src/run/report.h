/* SPDX-License-Identifier: MIT */
/* report.h - what is said of an ended run: numbers, a trace, a timeline. All of it is computed from the graph and an
 * outcome, whatever backend that came from.
 *
 * Tasks that were not traced (no trace, a full buffer, a run that stopped early) are missing from times; the counts
 * of the tallies are complete. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "graph/graph.h"

/* How a run went. Times are of the clock of its events. */
typedef struct hd_outcome {
    uint32_t n_workers, n_trace;
    uint64_t begin_ns, end_ns;
    const hd_tally *tallies; /* one a worker */
    const hd_event *events;  /* n_trace a worker, of which its tally's n_events are valid; NULL without a trace */
    const char *backend, *policy;
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
static inline uint32_t hd_event_body(const hd_graph *g, const hd_event *ev)
{
    return hd_event_is_spawned(ev) ? ev->task & ~HD_SPAWNED : hd_graph_task(g, ev->task)->body;
}

/* stats.c. Each does what the public call of heddle.h section 6 promises. hd_report_stats leaves size and load_ns as
 * they are. Idle time counts to the end of the run, after a worker's last task too. */
heddle_status hd_report_stats(const hd_graph *g, const hd_outcome *o, heddle_stats *out, hd_error *e);
heddle_status hd_report_worker(const hd_graph *g, const hd_outcome *o, uint32_t worker, heddle_worker_stats *out,
                               hd_error *e);
heddle_status hd_report_body(const hd_graph *g, const hd_outcome *o, uint32_t body, heddle_body_stats *out,
                             hd_error *e);
heddle_status hd_report_events(const hd_graph *g, const hd_outcome *o, heddle_event *ev, size_t n_max, size_t *n_out,
                               hd_error *e);
/* The tasks in an order in which edges run forward: n_tasks numbers in memory of hd_new; NULL without memory. */
uint32_t *hd_report_order(const hd_graph *g);

/* trace.c, timeline.c. title NULL: the name of the graph's table. */
heddle_status hd_write_trace(const hd_graph *g, const hd_outcome *o, const char *path, hd_error *e);
heddle_status hd_write_timeline(const hd_graph *g, const hd_outcome *o, const char *path, const char *title,
                                hd_error *e);

#endif
