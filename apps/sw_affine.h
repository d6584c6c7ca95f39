/* SPDX-License-Identifier: MIT */
/* sw_affine.h - the cell of Smith-Waterman with affine gaps and a matrix of scores, for the tables of cells that use
 * it. In the common part of C, C++ and CUDA. */
#ifndef SW_AFFINE_H
#define SW_AFFINE_H

#include "border_cell.h"

/* Affine gaps by Gotoh's recurrence: H, F of the cell below, E of the cell to the right, both from the cell's own H:
 * the score that opens a gap is added once. H and F go to the row below and stand first: a wave passes on
 * SW_AFFINE_BYTES. */
typedef struct sw_affine {
    int32_t h, f, e;
} sw_affine;
#define SW_AFFINE_BYTES 8

/* The best score of a pair; no score is below 0. */
typedef struct sw_found_score {
    int32_t best;
} sw_found_score;

/* Columns of a table; a row begins at a multiple of it. */
#define SW_LETTERS 32u

/* The score of two letters, from a table of bytes. A row has the address of its letter's scores, a column its letter.
 * Rows of the table begin at multiples of 32 bytes, so the address of a score takes one operation. The table is a few
 * lines of the L1 cache. The load depends on letters only, so it overlaps with the chain of cells.
 *
 * The alternative packs the scores of a letter into the 16 bytes that a row may have, and loads nothing. It gives 24
 * letters five bits each, too few for some matrices, and takes some six more operations per cell.
 *
 * Columns outside the field have any letter: the mask keeps the address in the table. */
TILE_FN int32_t sw_score_of(const int8_t *row, uint32_t letter)
{
    const int8_t *at = (const int8_t *)((uintptr_t)row | (letter & (SW_LETTERS - 1u)));
#if defined(__CUDA_ARCH__)
    return __ldg((const signed char *)at);
#else
    return *at;
#endif
}

/* A cell from H of the diagonal neighbour, F of the one above, E of the left one. gap: score of a gap's first letter;
 * extend: of each further one. F is joined last, because waves wait longest for it. Zeros beside the field are right
 * for E and F: gaps score 0 or less, and H is not below 0. */
TILE_FN sw_affine sw_affine_of(int32_t both, int32_t up, int32_t left, int32_t score, int32_t gap, int32_t extend)
{
    sw_affine cell;
    int32_t opens;
    cell.h = cell_max(heddle_add_max_0(both, score, left), up);
    opens = cell_add(cell.h, gap);
    cell.f = heddle_add_max(up, extend, opens);
    cell.e = heddle_add_max(left, extend, opens);
    return cell;
}

#endif
