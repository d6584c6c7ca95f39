/* SPDX-License-Identifier: MIT */
/* lu_bodies.h - records and list of the bodies of lu: LU decomposition without pivoting, by square blocks, each b * b
 * contiguous numbers, row-major. The ones on L's diagonal are not stored. */
#ifndef LU_BODIES_H
#define LU_BODIES_H

#include "tile.h"

typedef struct lu_record {
    float *a;
    uint32_t b, tuned;
} lu_record;

/* Requirements of the tuned version: threads of a worker, a multiple for b, and block-shared memory, which the portable
 * one does not use. */
#define LU_MIN_THREADS 128
#define LU_MAX_THREADS 256
#define LU_MULTIPLE 16
#define LU_SHARED ((64 + 128) * (64 + 4) * 4)

/* Where blocks begin, in numbers from a. */
typedef struct lu_one {
    uint64_t diag; /* replaced by its own L and U */
} lu_one;
typedef struct lu_two {
    uint64_t diag, at; /* `at` is changed */
} lu_two;
typedef struct lu_three {
    uint64_t left, up, at; /* at -= left * up */
} lu_three;

#define LU_BODIES(X) X(lu_lu0, LU_SHARED) X(lu_fwd, LU_SHARED) X(lu_bdiv, LU_SHARED) X(lu_bmod, LU_SHARED)
HEDDLE_ENUM(lu, LU_BODIES)
HEDDLE_DECLARE(lu)

#endif
