/* SPDX-License-Identifier: MIT */
/* soak_bodies.h - a body that says whether its record is whole, and counts itself. */
#ifndef POOL_SOAK_BODIES_H
#define POOL_SOAK_BODIES_H

#include "heddle/pool.h"
#include "heddle/task.h"

#define SOAKED_CELLS 64u
#define SOAKED_WORDS 7u /* as many as a line has room for (core/wire.h) */

typedef struct soaked_cell {
    uint32_t n, sum, torn, pad[29];
} soaked_cell;
typedef struct soaked_params {
    soaked_cell *cells; /* SOAKED_CELLS of them */
} soaked_params;
typedef struct soaked_args {
    uint32_t word[SOAKED_WORDS]; /* the task's number; words made of it; all others, exclusive-or'ed */
} soaked_args;

#define SOAKED_BODIES(X) X(soaked_count, 0)
HEDDLE_ENUM(soaked, SOAKED_BODIES)
HEDDLE_DECLARE(soaked)

#endif
