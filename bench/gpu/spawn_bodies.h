/* SPDX-License-Identifier: MIT */
/* spawn_bodies.h - bodies that spawn empty tasks, and a chain of tasks; each task of the chain records the time since
 * its spawn. */
#ifndef SPAWN_BODIES_H
#define SPAWN_BODIES_H

#include "heddle/task.h"

/* A worker's count of spawn_counted, on a cache line of its own. */
typedef struct spawn_cell {
    uint64_t n, pad[15];
} spawn_cell;

/* Time from a task's spawn to its start, and both workers. */
typedef struct spawn_sample {
    uint32_t ns, from, to;
} spawn_sample;

typedef struct spawn_params {
    spawn_cell *cells;     /* one per worker */
    spawn_sample *samples; /* of spawn_relay, indexed by the rest of the chain */
    uint32_t child;        /* the body that spawn_fan spawns; spawn_pair counts itself as spawn_counted does */
    uint32_t busy_ns;      /* total time of a spawn_relay */
} spawn_params;

typedef struct spawn_args {
    uint64_t begin_ns; /* of spawn_relay: time of its spawn */
    uint32_t left;     /* tasks of the chain, levels of the tree, still to come                    */
    uint32_t from;     /* of spawn_relay: the worker that spawned it                               */
} spawn_args;

#define SPAWN_FAN HEDDLE_MAX_CHILDREN /* children of spawn_fan; one continues the chain */

#define SPAWN_BODIES(X) X(spawn_empty, 0) X(spawn_counted, 0) X(spawn_fan, 0) X(spawn_relay, 0) X(spawn_pair, 0)
HEDDLE_ENUM(spawned, SPAWN_BODIES)
HEDDLE_DECLARE(spawned)

#endif
