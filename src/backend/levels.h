/* SPDX-License-Identifier: MIT */
/* levels.h - a frozen graph as a sequence of launches, level by level; and events of such a run as rows of a trace.
 *
 * Of a device it knows only that a launch runs tasks side by side, a block each, and that each event says which
 * processor (SM) it was on. */
#ifndef HD_LEVELS_H
#define HD_LEVELS_H

#include "graph/graph.h"

/* Tasks list[first] .. list[first + n - 1]: of one level, and of one body or of several. */
typedef struct hd_launch {
    uint32_t level;
    uint32_t body; /* HD_NONE: of several, or whatever they are */
    uint32_t first, n;
    uint32_t shared_bytes; /* of a block: HEDDLE_REDUCE_BYTES and the largest of its bodies */
} hd_launch;

typedef struct hd_launches {
    uint32_t *list; /* the tasks that have a body: joins are kept by the levels alone */
    uint64_t n_list, n_tasks;
    hd_launch *at; /* in the order of levels; those of one level do not depend on each other */
    uint64_t n, n_room;
    uint32_t widest; /* tasks of the largest launch */
} hd_launches;

/* by_body 1: a launch for each body of a level, tasks in the order of bodies, then of adding; 2: a launch a level, in the
 * order of adding; 0: as 2, but the launch of a level that has one body only knows it. */
heddle_status hd_launches_make(hd_launches *out, const hd_graph *g, uint32_t by_body, hd_error *e);
void hd_launches_clear(hd_launches *l);

/* Rows for events that only know their SM. Blocks share an SM: a row is a place on one, so that no two events of a row
 * overlap (unless an SM ran more than 64 at once); an SM that ran nothing has one row, too. */
typedef struct hd_rows {
    uint32_t n_rows, n_trace; /* n_trace: most events of a row, at least 1 */
    hd_tally *tallies;        /* one a row */
    hd_event *events;         /* n_trace a row, in order of time */
    uint64_t begin_ns, end_ns;
} hd_rows;

/* events[n], of which those with begin 0 have not happened and `queue` is the SM; sorts them in place. `idle` becomes the
 * gap before, `queue` 0. */
heddle_status hd_rows_make(hd_rows *out, hd_event *events, uint64_t n, uint32_t n_sms, hd_error *e);
void hd_rows_clear(hd_rows *r);

#endif
