/* SPDX-License-Identifier: MIT */
/* misuse_bodies.h - bodies that misuse spawn calls, and handles that pass from parent to parent. */
#ifndef MISUSE_BODIES_H
#define MISUSE_BODIES_H

#include "heddle/task.h"

#define MISUSE_CHILDREN 4u /* children of misuse_root */
#define MISUSE_PAIRS 64u

typedef enum misuse_how {
    MISUSE_NOT, /* correct: as many children as declared, in a chain */
    MISUSE_MANY,
    MISUSE_BODY,
    MISUSE_SIZE,
    MISUSE_AFTER,
    MISUSE_NO_HANDLE,    /* a slot number out of range */
    MISUSE_NO_SUCH_TASK, /* a slot with a wrong generation */
    MISUSE_LATE,
    MISUSE_TWICE,
    MISUSE_NO_BYTES,
    MISUSE_STRIDE,
    MISUSE_SPACE,
    MISUSE_MODE,
    MISUSE_NULL_ARGS,
    MISUSE_NULL_SPAWN, /* as NULL_ARGS, by heddle_task_spawn */
    MISUSE_NULL_CONTINUE,
    MISUSE_NULL_AFTER,
    MISUSE_NULL_RANGES,
    MISUSE_CHILD, /* the child spawns, though its body may not */
    MISUSE_HOWS
} misuse_how;

typedef struct misuse_params {
    uint32_t *leaf, *last; /* per pair or child: how often it has run */
    heddle_handle *kept;   /* per pair */
    uint32_t *wrong;
} misuse_params;

typedef struct misuse_args {
    uint32_t at, how;
} misuse_args;

#define MISUSE_BODIES(X) X(misuse_root, 0) X(misuse_leaf, 0) X(misuse_keeper, 0) X(misuse_user, 0) X(misuse_last, 0)
HEDDLE_ENUM(misuse, MISUSE_BODIES)
HEDDLE_DECLARE(misuse)

#endif
