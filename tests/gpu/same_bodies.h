/* SPDX-License-Identifier: MIT */
/* same_bodies.h - the tasks of random graphs (same/spec.h) in a form for a GPU: plain arrays in memory of the context.
 * All bodies are the same; only the sizes of their argument records differ. */
#ifndef SAME_BODIES_H
#define SAME_BODIES_H

#include "heddle/task.h"

#define SAME_RANGES 4u /* per task, at most */

typedef struct same_range {
    uint32_t at, row_bytes, n_rows, stride_bytes; /* in the arena */
    uint32_t mode;
} same_range;

typedef struct same_task {
    same_range range[SAME_RANGES];
    uint32_t n_ranges, arg_bytes, pause_ns;
    uint32_t before, n_before; /* in same_params.before: tasks that must have run */
} same_task;

/* One per run. */
typedef struct same_params {
    uint8_t *arena;
    const same_task *task;
    const uint32_t *index; /* task of each record number */
    const uint32_t *before;
    uint32_t *ran;   /* of each task: its last run; plain words */
    uint32_t *wrong; /* 1 + a task that met something wrong */
    uint32_t run;
} same_params;

#define SAME_ARGS(n)                             \
    __extension__ typedef struct same_args_##n { \
        uint8_t byte[n];                         \
    } same_args_##n;
SAME_ARGS(0)
SAME_ARGS(1)
SAME_ARGS(4)
SAME_ARGS(8)
SAME_ARGS(16)
SAME_ARGS(40)
SAME_ARGS(63)
SAME_ARGS(64)
SAME_ARGS(65)
SAME_ARGS(100)
SAME_ARGS(128)
SAME_ARGS(200)
SAME_ARGS(300)

/* In the order of spec_arg_bytes. */
#define SAME_BODIES(X) \
    X(same_0, 0)       \
    X(same_1, 0)       \
    X(same_4, 0)       \
    X(same_8, 0)       \
    X(same_16, 0)      \
    X(same_40, 0) X(same_63, 0) X(same_64, 0) X(same_65, 0) X(same_100, 0) X(same_128, 0) X(same_200, 0) X(same_300, 0)
HEDDLE_ENUM(same, SAME_BODIES)
HEDDLE_DECLARE(same)

#endif
