/* SPDX-License-Identifier: MIT */
/* sw_wave_bodies.h - Smith-Waterman as a wave: its cells, and their results. See sw_bodies.h. */
#ifndef SW_WAVE_BODIES_H
#define SW_WAVE_BODIES_H

#include "sw_affine.h"
#include "sw_bodies.h"

#include "heddle/wave.h"

/* The best score, the number of cells that have it, and the first of them in row-major order; n 0: no cell yet. */
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

#define SW_WAVES(X) X(sw_cell, 0) X(sw_cell_sums, 0) X(sw_cell_affine, 0)
HEDDLE_ENUM(sw_wave, SW_WAVES)
HEDDLE_DECLARE(sw_wave)

#endif
