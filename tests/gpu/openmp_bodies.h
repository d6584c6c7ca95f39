/* SPDX-License-Identifier: MIT */
/* openmp_bodies.h - the tasks of a program as heddlec translates it, with the kinds of data it needs: copies, pointers,
 * globals, a worker's own memory, a critical section. Arrays have WORDS numbers. */
#ifndef GPU_OPENMP_BODIES_H
#define GPU_OPENMP_BODIES_H

#include "heddle/openmp.h"
#include "heddle/task.h"

#define WORDS 1000

typedef struct words_part {
    uint64_t n, *to;
} words_part;

typedef struct words_params {
    heddle_omp_params omp;
    uint64_t *total;        /* a global */
    uint64_t *table;        /* another one, of WORDS */
    words_part (*parts)[2]; /* a third one, with pointers */
} words_params;

/* to[i] = to[i] * 3 + from[i] + by for i < n; without the term if from is NULL. end must be to + n, or NULL. */
typedef struct words_args {
    uint64_t *to;
    const uint64_t *from;
    const uint64_t *end;
    uint64_t by, n;
} words_args;

/* words_mix: see above. words_global: *total += by, table[i] += by, in a critical section. words_own: to[0] = 1 if the
 * worker's memory is its own and of the right size. words_parts: adds by to the n words of each of the global's parts
 * that is not NULL. words_nothing: for barriers. */
#define WORDS_BODIES(X) X(words_mix, 0) X(words_global, 0) X(words_own, 0) X(words_parts, 0) X(words_nothing, 0)
HEDDLE_ENUM(words, WORDS_BODIES)
HEDDLE_DECLARE(words)

#endif
