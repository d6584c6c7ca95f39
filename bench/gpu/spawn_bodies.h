/* SPDX-License-Identifier: MIT */
/* spawn_bodies.h - bodies that spawn tasks which do nothing, and a chain of tasks of which each notes how long ago it was
 * spawned. */
#ifndef SPAWN_BODIES_H
#define SPAWN_BODIES_H

#include "heddle/task.h"

/* How often a worker has run spawn_counted; a line each. */
typedef struct spawn_cell {
    uint64_t n, pad[15];
} spawn_cell;

/* From the spawning of a task to its start, and where both were. */
typedef struct spawn_sample {
    uint32_t ns, from, to;
} spawn_sample;

typedef struct spawn_params {
    spawn_cell *cells;     /* one a worker                                                             */
    spawn_sample *samples; /* of spawn_relay: by what is left of the chain                             */
    uint32_t child;        /* the body that spawn_fan spawns; spawn_pair counts itself as spawn_counted does */
    uint32_t busy_ns;      /* that spawn_relay takes, with all that it does                              */
} spawn_params;

typedef struct spawn_args {
    uint64_t begin_ns; /* of spawn_relay: when it was spawned                                      */
    uint32_t left;     /* tasks of the chain, levels of the tree, still to come                    */
    uint32_t from;     /* of spawn_relay: the worker that spawned it                               */
} spawn_args;

#define SPAWN_FAN HEDDLE_MAX_CHILDREN /* children of spawn_fan, of which one is the next of the chain */

#define SPAWN_BODIES(X) X(spawn_empty, 0) X(spawn_counted, 0) X(spawn_fan, 0) X(spawn_relay, 0) X(spawn_pair, 0)
HEDDLE_ENUM(spawned, SPAWN_BODIES)
HEDDLE_DECLARE(spawned)

#endif
