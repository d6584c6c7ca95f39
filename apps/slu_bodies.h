/* SPDX-License-Identifier: MIT */
/* slu_bodies.h - records and list of the bodies of slu when all tasks are known beforehand: LU decomposition without
 * pivoting of a matrix with empty square blocks. A block is b * b contiguous numbers, row-major; tasks name blocks by
 * number. The ones on L's diagonal are not stored. */
#ifndef SLU_BODIES_H
#define SLU_BODIES_H

#include "tile.h"

typedef struct slu_record {
    double *a;
    uint32_t b, tuned;
} slu_record;

/* Requirements of the tuned version: blocks of SLU_EDGE, workers of SLU_THREADS. Shared memory holds two blocks, their
 * rows 34 numbers apart, and some words. */
#define SLU_EDGE 32
#define SLU_THREADS 128
#define SLU_LD (SLU_EDGE + 2)
#define SLU_SHARED ((2 * SLU_EDGE * SLU_LD + 2 * SLU_EDGE + 2) * 8)

typedef struct slu_one {
    uint32_t diag; /* replaced by its own L and U */
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
