/* SPDX-License-Identifier: MIT */
/* bfs_bodies.h - breadth-first search by tasks that spawn tasks: records, and the layout of a block's memory.
 *
 * There are no levels and no barrier between tasks. An atomic minimum lowers the distance of a vertex; the thread that
 * lowered it must go on from there, or spawn a task that does. Distances are therefore right as soon as no task is
 * left, in any order; the order only decides how much work is repeated. It matters: depth first, most vertices are
 * lowered again and again. So a task does not carry its vertices. Waiting vertices stand in one queue, each at most
 * once, and a task takes the oldest, however the scheduler orders tasks. */
#ifndef BFS_BODIES_H
#define BFS_BODIES_H

#include "tile.h"

#define BFS_FAR UINT32_MAX  /* a vertex not reached */
#define BFS_NONE UINT32_MAX /* no vertex */

/* A vertex in 32 bytes, which a GPU fetches at once. `near` holds the neighbours if they fit, with costs in turn if
 * there are any. */
#define BFS_NEAR 6u
typedef struct bfs_row {
    uint32_t begin, degree; /* columns[begin], ...: all neighbours                                   */
    uint32_t near[BFS_NEAR];
} bfs_row;
HEDDLE_STATIC_ASSERT(sizeof(bfs_row) == 32, "one sector of a GPU's memory");

/* From row begin ... end - 1 of columns, and of costs when there are any. */
HEDDLE_FN bfs_row bfs_row_of(uint32_t begin, uint32_t end, const uint32_t *columns, const uint32_t *costs)
{
    bfs_row r = {begin, end - begin, {0}};
    const uint32_t by = costs ? 2u : 1u;
    for (uint32_t k = 0; k < r.degree && k * by < BFS_NEAR; k++) {
        r.near[k * by] = columns[begin + k];
        if (costs)
            r.near[k * by + 1u] = costs[begin + k];
    }
    return r;
}

/* Two cursors, a cache line each. */
typedef struct bfs_cursors {
    uint32_t head, pad1[31]; /* dev: the next vertex to take                                         */
    uint32_t tail, pad2[31]; /* dev: the next slot to fill */
} bfs_cursors;

typedef struct bfs_params {
    const bfs_row *rows;
    const uint32_t *columns, *costs; /* costs NULL: each arc counts 1                                     */
    uint32_t *dist;                  /* dev: only falls                                                   */
    uint32_t *waits;                 /* dev: 1 while the vertex is in the queue */
    uint32_t *queue;                 /* dev: mask + 1 slots, each a vertex + 1; 0: empty */
    bfs_cursors *cursors;
    uint32_t mask;
    uint32_t chunk; /* vertices per task */
    uint32_t list;  /* capacity of a step's list of arcs */
    uint32_t hops;  /* steps of one task; the first task counts them from its first overflow */
} bfs_params;

/* Kinds of tasks. */
#define BFS_FIRST 0u  /* start from vertex `begin`, set by the host; runs alone while the list is large enough */
#define BFS_QUEUED 1u /* take `end` vertices from the queue and start from them */
#define BFS_PART 2u   /* arcs begin ... end - 1 of a vertex at `dist`, which has too many for one task */
typedef struct bfs_args {
    uint32_t kind, begin, end, dist;
} bfs_args;

#define BFS_MOST_CHUNK 64u
#define BFS_MOST_TASKS 32u /* full tasks in a list                                                       */
#define BFS_PARTS 16u      /* tasks that a long row is cut into at once */
/* Children of a task, at most: those of its start and of its list; or those of a list and of a step. */
#define BFS_CHILDREN 128u

/* An arc to follow: its end, its start, the distance it offers. */
typedef struct bfs_arc {
    uint32_t vertex, from, dist;
} bfs_arc;

/* A row that does not fit its record, to be copied to index `at` of a list. */
typedef struct bfs_long {
    uint32_t begin, n, at, from, dist;
} bfs_long;

/* Counters of a step. */
typedef struct bfs_found {
    uint32_t n_arcs, n_longs; /* arcs of the next list; rows to copy there */
    uint32_t n_waiting;       /* vertices to queue */
    uint32_t n_parts;         /* parts of rows to spawn */
} bfs_found;

/* Block-shared memory. Behind it: two lists of arcs, rows to copy, vertices to queue. */
typedef struct bfs_shared {
    bfs_found found[3];
    uint32_t first, pad[3];         /* first reserved slot of the queue */
    bfs_args parts[BFS_MOST_CHUNK]; /* at most BFS_PARTS when the task is itself a part */
} bfs_shared;
#define BFS_LONGS(list) ((list) / (BFS_NEAR / 2u + 1u) + 1u)
#define BFS_SHARED_BYTES(list)                                                           \
    (sizeof(bfs_shared) + (list) * (2u * sizeof(bfs_arc) + (uint64_t)sizeof(uint32_t)) + \
     BFS_LONGS(list) * sizeof(bfs_long))

/* For the app's defaults; bfs.c sets the bytes for other lists. */
#define BFS_CHUNK 32u
#define BFS_LIST 1024u
#define BFS_BODIES(X) X(bfs_part, BFS_SHARED_BYTES(BFS_LIST))
HEDDLE_ENUM(bfs, BFS_BODIES)
HEDDLE_DECLARE(bfs)

#endif
