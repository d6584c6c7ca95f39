/* SPDX-License-Identifier: MIT */
/* levels.h - a frozen graph as a sequence of launches, level by level; and events of such a run as rows of a trace.
 *
 * Assumes only that a launch runs its tasks in parallel, one block each, and that each event names its processor (SM). */
#ifndef HD_LEVELS_H
#define HD_LEVELS_H

#include "graph/graph.h"

/* Tasks list[first] .. list[first + n - 1] of one level, of one body or several. */
typedef struct hd_launch {
    uint32_t level;
    uint32_t body; /* HD_NONE: several, or unspecified */
    uint32_t first, n;
    uint32_t shared_bytes; /* per block: HEDDLE_REDUCE_BYTES and its largest body's */
} hd_launch;

typedef struct hd_launches {
    uint32_t *list; /* the tasks with a body: levels alone keep the order of joins */
    uint64_t n_list, n_tasks;
    hd_launch *at; /* in order of levels; launches of one level are independent */
    uint64_t n, n_room;
    uint32_t widest; /* tasks of the largest launch */
} hd_launches;

/* by_body 1: one launch per body and level, tasks sorted by body, then by order of adding. 2: one launch per level, in order
 * of adding. 0: as 2, but the launch of a level with a single body names that body. */
heddle_status hd_launches_make(hd_launches *out, const hd_graph *g, uint32_t by_body, hd_error *e);
void hd_launches_clear(hd_launches *l);

/* Rows for events that record only their SM. Several blocks share an SM, so a row is a place on an SM: events of a row do not
 * overlap (unless an SM ran more than 64 at once). An idle SM has one row, too. */
typedef struct hd_rows {
    uint32_t n_rows, n_trace; /* n_trace: most events in a row, at least 1 */
    hd_tally *tallies;        /* one per row */
    hd_event *events;         /* n_trace per row, by time */
    uint64_t begin_ns, end_ns;
} hd_rows;

/* Sorts events[n] in place. On entry `queue` is the SM, and begin 0 marks an event that has not happened. Sets `idle` to the
 * preceding gap and `queue` to 0. */
heddle_status hd_rows_make(hd_rows *out, hd_event *events, uint64_t n, uint32_t n_sms, hd_error *e);
void hd_rows_clear(hd_rows *r);

#endif
