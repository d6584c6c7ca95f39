/* SPDX-License-Identifier: MIT */
/* bodies.h - the bodies of the tests of loops: rows side by side, rows with neighbours, a matrix beside a whole array; columns with
 * neighbours, a part of each row beside columns of another matrix, parts that a function names. One reads and writes several rows an
 * index, one finds numbers that are put together, one fails, and one breaks a GPU. */
#ifndef LOOP_BODIES_H
#define LOOP_BODIES_H

#include "heddle/loop.h"

#define LOOPED_BINS 16u
#define LOOPED_SIGNED(x) ((int64_t)(x)-5000000000) /* below 0 */
#define LOOPED_EACH 3u   /* rows of an index of looped_turn; columns of one of looped_columns */
#define LOOPED_TALL 13u  /* rows of the matrices of looped_columns */
#define LOOPED_ROW 2u    /* looped_both: around c's cells that are written there are others, */
#define LOOPED_COLUMN 3u /* of which a's are read in part: its first row and column are not */
#define LOOPED_WIDE 7u   /* floats from row to row in looped_parts */

/* looped_parts: index i has the numbers from this one to before that of i + 1; every fourth has none. */
HD_FN uint64_t looped_first(uint64_t i) { return i / 4u * 6u + (i % 4u == 3u ? 3u : i % 4u / 2u); }

typedef struct looped_params {
    const float *a, *b;
    float *c;
    const uint32_t *all; /* read at any index */
    uint64_t *turned;
    double *sum; /* of each tile */
    float *least;
    uint32_t *bins;
    int64_t *most;
    uint64_t n, n_2, stride, stride_b, fail_at, fail_at_too;
} looped_params;

#define LOOPED_LOOPS(X)              \
    X(looped_price, 0)               \
    X(looped_blur, 0)                \
    X(looped_matrix, 0)              \
    X(looped_turn, 0)                \
    X(looped_columns, 0)             \
    X(looped_both, 0)                \
    X(looped_parts, 0)               \
    X(looped_find, LOOPED_BINS * 4u) \
    X(looped_fail, 0)                \
    X(looped_trap, 0)
HEDDLE_ENUM(looped, LOOPED_LOOPS)
HEDDLE_DECLARE(looped)

#endif
