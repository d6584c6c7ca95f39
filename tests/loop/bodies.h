/* SPDX-License-Identifier: MIT */
/* bodies.h - the bodies of the tests of loops: rows side by side, rows with neighbours, a matrix beside a whole array. One reads and writes
 * several rows an index, one finds numbers that are put together, one fails, and one breaks a GPU. */
#ifndef LOOP_BODIES_H
#define LOOP_BODIES_H

#include "heddle/loop.h"

#define LOOPED_BINS 16u
#define LOOPED_SIGNED(x) ((int64_t)(x)-5000000000) /* below 0 */
#define LOOPED_EACH 3u                             /* rows of an index of looped_turn */

typedef struct looped_params {
    const float *a, *b;
    float *c;
    const uint32_t *all; /* read at any index */
    uint64_t *turned;
    double *sum; /* of each tile */
    float *least;
    uint32_t *bins;
    int64_t *most;
    uint64_t n, n_2, stride, fail_at, fail_at_too;
} looped_params;

#define LOOPED_LOOPS(X)              \
    X(looped_price, 0)               \
    X(looped_blur, 0)                \
    X(looped_matrix, 0)              \
    X(looped_turn, 0)                \
    X(looped_find, LOOPED_BINS * 4u) \
    X(looped_fail, 0)                \
    X(looped_trap, 0)
HEDDLE_ENUM(looped, LOOPED_LOOPS)
HEDDLE_DECLARE(looped)

#endif
