/* SPDX-License-Identifier: MIT */
/* dtw_bodies.h - dynamic time warping: records of the tile body.
 *
 * D[i][j] = |x_i - y_j| + min(D[i-1][j-1], D[i-1][j], D[i][j-1]); D[0][0] = 0, the other borders are infinite.
 * Beside the borders each tile gives the sum and the largest of its cells. */
#ifndef DTW_BODIES_H
#define DTW_BODIES_H

#include "border_bodies.h"
#include "border_cell.h"

/* More than any cell, and a cost can still be added. */
#define DTW_INFINITE (INT32_MAX - UINT16_MAX)
#define DTW_MAX_BLOCK 4096

/* A cell from those above, to the left, and before both. */
TILE_FN int32_t dtw_cell_of(int32_t up, int32_t left, int32_t both, int32_t x, int32_t y)
{
    const int32_t difference = x - y, cost = difference < 0 ? -difference : difference;
    return cell_add_min(left, cost, cell_add(cell_min(both, up), cost));
}

typedef struct dtw_params {
    border_grid grid;
} dtw_params;

/* Of the cells seen so far in a row of tiles: the head of its column record. */
typedef struct dtw_sums {
    uint64_t sum;
    int32_t max;
} dtw_sums;
HEDDLE_STATIC_ASSERT(sizeof(dtw_sums) <= BORDER_SUMS_BYTES, "the sums fit their place");

HEDDLE_FN void dtw_add(dtw_sums *sums, const dtw_sums *more)
{
    sums->sum += more->sum;
    sums->max = more->max > sums->max ? more->max : sums->max;
}

/* For blocks of 64 x 64 by default; the builder of a graph says what its blocks take. */
#define DTW_SHARED_BYTES(h, w) BORDER_SHARED_BYTES(sizeof(int32_t), h, w, 0u)
#define DTW_BODIES(X) X(dtw_tile, DTW_SHARED_BYTES(64u, 64u))
HEDDLE_ENUM(dtw, DTW_BODIES)
HEDDLE_DECLARE(dtw)

#endif
