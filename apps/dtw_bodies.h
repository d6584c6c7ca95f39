/* SPDX-License-Identifier: MIT */
/* dtw_bodies.h - dynamic time warping: records of the tile body.
 *
 * D[i][j] = |x_i - y_j| + min(D[i-1][j-1], D[i-1][j], D[i][j-1]); D[0][0] = 0, the other borders are infinite.
 * Beside the borders each tile gives the sum and the largest of its cells. */
#ifndef DTW_BODIES_H
#define DTW_BODIES_H

#include "border_bodies.h"
#include "border_cell.h"

/* More than any cell, with room to add a cost. */
#define DTW_INFINITE (INT32_MAX - UINT16_MAX)
#define DTW_MAX_BLOCK 4096

/* A cell from the ones above, to the left, and diagonally before. */
TILE_FN int32_t dtw_cell_of(int32_t up, int32_t left, int32_t both, int32_t x, int32_t y)
{
    const int32_t difference = x - y, cost = difference < 0 ? -difference : difference;
    return cell_add_min(left, cost, cell_add(cell_min(both, up), cost));
}

typedef struct dtw_params {
    border_grid grid;
} dtw_params;

/* Over the cells computed so far in a row of tiles: the head of its column record. */
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

/* For the default blocks of 64 x 64; the host sets the bytes for other blocks. */
#define DTW_SHARED_BYTES(h, w) BORDER_SHARED_BYTES(sizeof(int32_t), h, w, 0u)
#define DTW_BODIES(X) X(dtw_tile, DTW_SHARED_BYTES(64u, 64u))
HEDDLE_ENUM(dtw, DTW_BODIES)
HEDDLE_DECLARE(dtw)

#endif
