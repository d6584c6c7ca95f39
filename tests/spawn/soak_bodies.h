/* SPDX-License-Identifier: MIT */
/* soak_bodies.h - a tree with known tasks: task `id` of n spawns tasks 8 id + 1 .. 8 id + 8, those below n. */
#ifndef SPAWN_SOAK_BODIES_H
#define SPAWN_SOAK_BODIES_H

#include "heddle/task.h"

#define SOAK_FAN 8u
#define SOAK_GOES_ON(id) ((id) % 61u == 7u) /* these have a continuation, which counts, too */
#define SOAK_IN_LINE(id) ((id) % 37u == 5u) /* their children run one after another, by handles */
#define SOAK_LONG(id) ((id) % 11u == 3u)    /* their record does not fit into the slot               */

/* What one worker has counted. */
typedef struct soak_cell {
    uint64_t n, sum, squares, n_ends, sum_ends, n_bad;
    uint64_t pad[10];
} soak_cell;

typedef struct soak_params {
    soak_cell *cells; /* one per worker */
    uint64_t n;
} soak_params;

typedef struct soak_node_args {
    uint64_t id;
} soak_node_args;

typedef struct soak_long_args {
    soak_node_args node;
    uint64_t fill[20]; /* element i is id + i */
} soak_long_args;

#define SOAK_BODIES(X) X(soak_root, 0) X(soak_node, 0) X(soak_long, 0) X(soak_end, 0)
HEDDLE_ENUM(soak, SOAK_BODIES)
HEDDLE_DECLARE(soak)

#endif
