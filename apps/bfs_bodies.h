/* SPDX-License-Identifier: MIT */
/* bfs_bodies.h - breadth-first search by tasks that spawn tasks: records, and how a block's memory is laid out.
 *
 * There are no levels and no barrier between tasks: the distance of a vertex only ever falls, by an atomic minimum, and
 * whoever lowers it answers for what follows from that: it goes on from there itself or spawns a task for it. So distances are
 * right as soon as no task is left, whatever the order; order only decides how much is done twice. It decides much:
 * depth first, most vertices are lowered again and again. So a task does not carry its vertices. Those that wait stand in one
 * queue, each at most once, and a task takes the oldest, whatever the order in which the scheduler runs tasks. */
#ifndef BFS_BODIES_H
#define BFS_BODIES_H

#include "tile.h"

#define BFS_FAR UINT32_MAX  /* the distance of a vertex that nobody has reached */
#define BFS_NONE UINT32_MAX /* no vertex */

/* All that most vertices have, in the 32 bytes that a GPU fetches at once: `near` holds the neighbours, or neighbours and
 * costs in turn, of a vertex that has no more of them than fit. */
#define BFS_NEAR 6u
typedef struct bfs_row {
    uint32_t begin, degree; /* columns[begin], ...: all neighbours                                   */
    uint32_t near[BFS_NEAR];
} bfs_row;
HEDDLE_STATIC_ASSERT(sizeof(bfs_row) == 32, "one sector of a GPU's memory");

/* The row begin ... end - 1 of columns, and of costs where there are any. */
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

/* Two cursors, a line each. */
typedef struct bfs_cursors {
    uint32_t head, pad1[31]; /* dev: the next vertex to take                                         */
    uint32_t tail, pad2[31]; /* dev: the next place to put one                                       */
} bfs_cursors;

typedef struct bfs_params {
    const bfs_row *rows;
    const uint32_t *columns, *costs; /* costs NULL: each arc counts 1                                     */
    uint32_t *dist;                  /* dev: only falls                                                   */
    uint32_t *waits;                 /* dev: is 1 while the vertex stands in the queue                     */
    uint32_t *queue;                 /* dev: mask + 1 places for a vertex + 1; 0: none is there            */
    bfs_cursors *cursors;
    uint32_t mask;
    uint32_t chunk; /* vertices of a task                                                */
    uint32_t list;  /* arcs that a task keeps for its next step                           */
    uint32_t hops;  /* steps that a task goes on by itself; the first until it overflows */
} bfs_params;

/* What a task is to do. */
#define BFS_FIRST 0u  /* go on from vertex `begin`, which the host has set; alone while the list is large enough */
#define BFS_QUEUED 1u /* take `end` vertices out of the queue and go on from them                             */
#define BFS_PART 2u   /* arcs begin ... end - 1 of a vertex at `dist`, which has too many for one              */
typedef struct bfs_args {
    uint32_t kind, begin, end, dist;
} bfs_args;

#define BFS_MOST_CHUNK 64u
#define BFS_MOST_TASKS 32u /* full tasks in a list                                                       */
#define BFS_PARTS 16u      /* tasks that a long row is cut into at once                                  */
/* Parts and the rest of what a task begins with, then what a list makes; or that, and what a step makes. */
#define BFS_CHILDREN 128u

/* An arc to follow: its end, where it comes from, what distance it offers. */
typedef struct bfs_arc {
    uint32_t vertex, from, dist;
} bfs_arc;

/* A row that does not fit its record, to be copied to place `at` of a list. */
typedef struct bfs_long {
    uint32_t begin, n, at, from, dist;
} bfs_long;

/* What a step has found so far. */
typedef struct bfs_found {
    uint32_t n_arcs, n_longs; /* in the next list; rows still to be copied there                        */
    uint32_t n_waiting;       /* vertices that now wait, for tasks to come                                */
    uint32_t n_parts;         /* parts of rows, likewise                                                 */
} bfs_found;

/* Block-shared memory. Behind it: two lists of arcs, rows to copy, vertices that are to wait. */
typedef struct bfs_shared {
    bfs_found found[3];
    uint32_t first, pad[3];         /* of the places in the queue that the block has taken                      */
    bfs_args parts[BFS_MOST_CHUNK]; /* BFS_PARTS at most when the task is itself a part                    */
} bfs_shared;
#define BFS_LONGS(list) ((list) / (BFS_NEAR / 2u + 1u) + 1u)
#define BFS_SHARED_BYTES(list)                                                           \
    (sizeof(bfs_shared) + (list) * (2u * sizeof(bfs_arc) + (uint64_t)sizeof(uint32_t)) + \
     BFS_LONGS(list) * sizeof(bfs_long))

/* For the app's defaults; the builder of a graph says what its lists take. */
#define BFS_CHUNK 32u
#define BFS_LIST 1024u
#define BFS_BODIES(X) X(bfs_part, BFS_SHARED_BYTES(BFS_LIST))
HEDDLE_ENUM(bfs, BFS_BODIES)
HEDDLE_DECLARE(bfs)

#endif
