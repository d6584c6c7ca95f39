/* SPDX-License-Identifier: MIT */
/* sw_wave_bodies.h - Smith-Waterman as a wave: its cells, and what they find. See sw_bodies.h. */
#ifndef SW_WAVE_BODIES_H
#define SW_WAVE_BODIES_H

#include "sw_bodies.h"

#include "heddle/wave.h"

/* The best score, how many cells have it, and the first of them in row-major order; n 0: there was no cell. */
typedef struct sw_found_best {
    uint32_t n[2];
    int32_t best;
    uint32_t i, j;
} sw_found_best;

/* The same with the sums over all cells. */
typedef struct sw_found_sums {
    sw_found_best best;
    uint32_t sum[2], weighted[2];
} sw_found_sums;

/* Affine gaps by Gotoh's recurrence: H, F of the cell below, E of the cell to the right. A cell makes both from its own H, so
 * the score that opens a gap is added once. H and F go to the row below and stand first. */
typedef struct sw_affine {
    int32_t h, f, e;
} sw_affine;

/* The score of a pair; no score is below 0. */
typedef struct sw_found_score {
    int32_t best;
} sw_found_score;

/* A table has so many columns, and a row begins at a multiple of it. */
#define SW_LETTERS 32u

#define SW_WAVES(X) X(sw_cell, 0) X(sw_cell_sums, 0) X(sw_cell_affine, 0)
HEDDLE_ENUM(sw_wave, SW_WAVES)
HEDDLE_DECLARE(sw_wave)

#endif
