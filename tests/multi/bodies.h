/* SPDX-License-Identifier: MIT */
/* bodies.h - the bodies of the tests of jobs: rows from rows with neighbours, rows in place, blocks of a product of matrices that are told the strides
 * of their pieces, a sum over tiles, one that fails. One counts, and fails at a number. */
#ifndef MULTI_BODIES_H
#define MULTI_BODIES_H

#include "heddle/multi.h"

typedef struct jobbed_params {
    const uint32_t *in, *in_2;
    uint32_t *out;
    int64_t *sum;                                /* of each tile */
    uint64_t in_stride, in_2_stride, out_stride; /* bytes; set by the library where a piece may be packed */
    uint64_t n, n_2, k_begin, k_end;
    uint64_t fail_at; /* index; UINT64_MAX: nowhere */
    uint32_t seed, adds;
} jobbed_params;

#define JOBBED_LOOPS(X)  \
    X(jobbed_spread, 0)  \
    X(jobbed_turn, 0)    \
    X(jobbed_product, 0) \
    X(jobbed_total, 0)   \
    X(jobbed_fail, 0)    \
    X(jobbed_tally, 0)
HEDDLE_ENUM(jobbed, JOBBED_LOOPS)
HEDDLE_DECLARE(jobbed)

#endif
