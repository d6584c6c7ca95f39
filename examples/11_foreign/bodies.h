/* SPDX-License-Identifier: MIT */
/* bodies.h - how long does a number take to come down to 1, if it is halved when it is even, and else tripled, plus one? */
#ifndef STEPS_BODIES_H
#define STEPS_BODIES_H

#include "heddle/loop.h"

typedef struct steps_params {
    const uint32_t *number;
    uint32_t *steps;
    int64_t *most; /* of each tile */
} steps_params;

#define STEPS_LOOPS(X) X(steps_count, 0)
HEDDLE_ENUM(steps, STEPS_LOOPS)
HEDDLE_DECLARE(steps)

#endif
