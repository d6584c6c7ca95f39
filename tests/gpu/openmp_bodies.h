/* SPDX-License-Identifier: MIT */
/* openmp_bodies.h - the tasks of a program as heddlec translates it, for what its data needs: copies, pointers, globals,
 * memory of a worker's own, a critical section. Arrays are of WORDS numbers. */
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

/* to[i] = to[i] * 3 + from[i] + by for i < n; from NULL: without it. end, if not NULL, must be to + n. */
typedef struct words_args {
    uint64_t *to;
    const uint64_t *from;
    const uint64_t *end;
    uint64_t by, n;
} words_args;

/* words_mix as said; words_global: *total += by, table[i] += by, in a critical section; words_own: to[0] = 1 if the
 * worker's memory is its own and as large as it should be; words_parts: by is added to the n words of each of the global's
 * parts that leads somewhere; words_nothing: for barriers. */
#define WORDS_BODIES(X) X(words_mix, 0) X(words_global, 0) X(words_own, 0) X(words_parts, 0) X(words_nothing, 0)
HEDDLE_ENUM(words, WORDS_BODIES)
HEDDLE_DECLARE(words)

#endif
