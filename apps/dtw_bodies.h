/* SPDX-License-Identifier: MIT */
/* dtw_bodies.h - dynamic time warping: records of the tile body.
 *
 * D[i][j] = |x_i - y_j| + min(D[i-1][j-1], D[i-1][j], D[i][j-1]); D[0][0] = 0, the other borders are infinite.
 * Beside the borders each tile gives the sum and the largest of its cells. */
#ifndef DTW_BODIES_H
#define DTW_BODIES_H

#include "border_bodies.h"

/* More than any cell, and a cost can still be added. */
#define DTW_INFINITE (INT32_MAX - UINT16_MAX)
#define DTW_MAX_BLOCK 4096

typedef struct dtw_params {
    border_grid grid;
} dtw_params;

/* Of the cells seen so far in a row of tiles: the head of its column record. */
typedef struct dtw_sums {
    uint64_t sum;
    int32_t max;
} dtw_sums;
HEDDLE_STATIC_ASSERT(sizeof(dtw_sums) <= BORDER_SUMS_BYTES, "the sums fit their place");

/* For blocks of 64 x 64 by default; the builder of a graph says what its blocks take. */
#define DTW_SHARED_BYTES(h, w) BORDER_SHARED_BYTES(sizeof(int32_t), h, w, 0u)
#define DTW_BODIES(X) X(dtw_tile, DTW_SHARED_BYTES(64u, 64u))
HEDDLE_ENUM(dtw, DTW_BODIES)
HEDDLE_DECLARE(dtw)

#endif
