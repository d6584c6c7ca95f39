/* SPDX-License-Identifier: MIT */
/* report.h - what is said of an ended run: numbers, a trace, a timeline. All of it is computed from the graph and an
 * outcome, whatever backend that came from.
 *
 * Tasks that were not traced (no trace, a full buffer, a run that stopped early) are missing from times; the counts
 * of the tallies are complete. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "backend/outcome.h"

static inline uint32_t hd_event_body(const hd_graph *g, const hd_event *ev)
{
    return hd_event_is_spawned(ev) ? ev->task & ~HD_SPAWNED : hd_graph_task(g, ev->task)->body;
}

/* stats.c. Each does what the public call of heddle.h section 6 promises. hd_report_stats writes
 * size, too. Idle time counts to the end of the run, after a worker's last task too. */
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
