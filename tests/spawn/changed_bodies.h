/* SPDX-License-Identifier: MIT */
/* changed_bodies.h - bodies that report their argument records; one of the table may spawn. */
#ifndef CHANGED_BODIES_H
#define CHANGED_BODIES_H

#include "heddle/task.h"

#define CHANGED_LARGE 100u /* words: more than a task's record holds */

typedef struct changed_params {
    uint32_t *seen; /* one per task */
} changed_params;

typedef struct changed_args {
    uint32_t at, value;
} changed_args;

typedef struct changed_large_args {
    uint32_t at, value[CHANGED_LARGE];
} changed_large_args;

/* changed_small spawns changed_leaf, which writes the value; changed_large writes the sum of its values. */
#define CHANGED_BODIES(X) X(changed_small, 0) X(changed_large, 0) X(changed_leaf, 0)
HEDDLE_ENUM(changed, CHANGED_BODIES)
HEDDLE_DECLARE(changed)

#endif
