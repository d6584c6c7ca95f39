/* SPDX-License-Identifier: MIT */
/* report.h - reports on an ended run: numbers, a trace, a timeline. All are computed from an outcome and its legend, for any
 * kind of work and any backend.
 *
 * Untraced tasks (no trace, a full buffer, a run that stopped early) are missing from times. The counts of tallies are
 * complete. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "backend/outcome.h"

/* Microseconds with three decimals, in a format and as its arguments. */
#define HD_US "%llu.%03u"
#define HD_US_OF(ns) (unsigned long long)((ns) / 1000), (unsigned)((ns) % 1000)

/* legend.c: the legend of a graph. */
void hd_graph_legend(hd_legend *out, const hd_graph *g);

/* stats.c. Each implements a public call of heddle.h section 6; hd_report_stats also writes size. Idle time includes the time
 * from a worker's last task to the end of the run. */
heddle_status hd_report_stats(const hd_outcome *o, heddle_stats *out, hd_error *e);
heddle_status hd_report_worker(const hd_outcome *o, uint32_t worker, heddle_worker_stats *out, hd_error *e);
heddle_status hd_report_body(const hd_outcome *o, uint32_t body, heddle_body_stats *out, hd_error *e);
heddle_status hd_report_events(const hd_outcome *o, heddle_event *ev, size_t n_max, size_t *n_out, hd_error *e);
/* trace.c, timeline.c. title NULL: the legend's. */
heddle_status hd_write_trace(const hd_outcome *o, const char *path, hd_error *e);
heddle_status hd_write_timeline(const hd_outcome *o, const char *path, const char *title, hd_error *e);

#endif
