/* SPDX-License-Identifier: MIT */
/* slu_bodies.h - records and list of the bodies of slu where all tasks are known beforehand: LU decomposition without
 * pivoting of a matrix of which some square blocks are empty. A block is b * b numbers in a row, row-major; tasks name
 * blocks by number. L has ones on its diagonal, which are not stored. */
#ifndef SLU_BODIES_H
#define SLU_BODIES_H

#include "tile.h"

typedef struct slu_record {
    double *a;
    uint32_t b, tuned;
} slu_record;

/* What the tuned version takes: blocks of one size, workers of so many threads; two blocks stand in shared memory, with rows
 * that begin 34 numbers apart, and some words. */
#define SLU_EDGE 32
#define SLU_THREADS 128
#define SLU_LD (SLU_EDGE + 2)
#define SLU_SHARED ((2 * SLU_EDGE * SLU_LD + 2 * SLU_EDGE + 2) * 8)

typedef struct slu_one {
    uint32_t diag; /* becomes its own L and U */
} slu_one;
typedef struct slu_two {
    uint32_t diag, at; /* `at` is changed */
} slu_two;
typedef struct slu_three {
    uint32_t left, up, at; /* at -= left * up */
} slu_three;

#define SLU_BODIES(X) X(slu_lu0, SLU_SHARED) X(slu_fwd, SLU_SHARED) X(slu_bdiv, SLU_SHARED) X(slu_bmod, SLU_SHARED)
HEDDLE_ENUM(slu, SLU_BODIES)
HEDDLE_DECLARE(slu)

#endif
