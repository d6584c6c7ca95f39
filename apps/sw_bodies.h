/* SPDX-License-Identifier: MIT */
/* sw_bodies.h - Smith-Waterman with linear gaps: records of the tile body.
 *
 * H[i][j] = max(0, H[i-1][j-1] + (a_i == b_j ? match : mismatch), H[i-1][j] + gap, H[i][j-1] + gap).
 *
 * Besides the borders each tile computes the best score, how many cells have it, the first of them in row-major order,
 * and the sum of H. Another sum weighs H by position, (31 * (i % 8191) + 17 * (j % 8191)) % 1009 + 1 with i and j from
 * 1.
 *
 * Neighbouring cells differ by match - gap at most (with match >= 0 >= gap; by induction over the recurrence), so all
 * cells of a tile lie within SW_SPREAD of its upper left corner, and 16 bits hold the difference. So a vector of the
 * oldest x86-64, which has a maximum of 16-bit numbers but not of 32-bit ones, does eight cells. */
#ifndef SW_BODIES_H
#define SW_BODIES_H

#include "border_bodies.h"
#include "border_cell.h"

#define SW_PERIOD 8191u
#define SW_WEIGHTS 1009u
/* Limits on scores and block from the 16-bit cells and the 32-bit sums over one diagonal. */
#define SW_SPREAD(h, w, match, gap) (((int64_t)(h) + (int64_t)(w)) * ((int64_t)(match) - (int64_t)(gap)))
#define SW_MAX_SCORE 1024
#define SW_MAX_SPREAD (INT16_MAX - 2 * SW_MAX_SCORE)
#define SW_MAX_SUM (INT32_MAX / (int64_t)SW_WEIGHTS) /* of spread times the longest diagonal             */
/* Limit on scores from the tuned body's 32-bit sums over the cells of a strip. */
#define SW_MAX_STRIP (1 << 28)

/* n % SW_PERIOD, which is 2^13 - 1, in a few vectorizable instructions; n up to 2^31. */
HEDDLE_FN uint32_t sw_phase(uint32_t n)
{
    n = (n & SW_PERIOD) + (n >> 13);
    n = (n & SW_PERIOD) + (n >> 13);
    return n < SW_PERIOD ? n : n - SW_PERIOD;
}

/* Contributions of row i and column j, from 0, to a cell's weight: one more than their sum modulo SW_WEIGHTS. */
HEDDLE_FN uint32_t sw_row_weight(uint64_t i) { return sw_phase((uint32_t)i + 1u) * 31u; }
HEDDLE_FN uint32_t sw_column_weight(uint64_t j) { return sw_phase((uint32_t)j + 1u) * 17u; }

/* A cell from the one above, the left one, and the diagonal one plus the score of the cell's letters. */
TILE_FN int32_t sw_cell_of(int32_t up, int32_t left, int32_t from_both, int32_t gap)
{
    return heddle_add_max(left, gap, heddle_add_max_0(up, gap, from_both));
}

typedef struct sw_scores {
    int32_t match, mismatch, gap;
    int32_t extend; /* of pairs (sw_pairs.h): per letter of a gap after the first, which costs `gap` */
} sw_scores;
typedef struct sw_params {
    border_grid grid;
    sw_scores scores;
} sw_params;

/* Over the cells computed so far in a row of tiles: the head of its column record. */
typedef struct sw_sums {
    uint64_t sum, weighted;
    uint64_t n_best, end_i, end_j; /* cells that have `best`, the first of them, from 0 */
    int32_t best;
} sw_sums;
HEDDLE_STATIC_ASSERT(sizeof(sw_sums) <= BORDER_SUMS_BYTES, "the sums fit their place");

/* For the default blocks of 64 x 64; the host sets the bytes for other blocks. */
#define SW_SHARED_BYTES(h, w) BORDER_SHARED_BYTES(sizeof(int16_t), h, w, 1u)
#define SW_BODIES(X) X(sw_tile, SW_SHARED_BYTES(64u, 64u))
HEDDLE_ENUM(sw, SW_BODIES)
HEDDLE_DECLARE(sw)

#endif
