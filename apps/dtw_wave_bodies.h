/* SPDX-License-Identifier: MIT */
/* dtw_wave_bodies.h - dynamic time warping as a wave: the results of its cells. See dtw_bodies.h. */
#ifndef DTW_WAVE_BODIES_H
#define DTW_WAVE_BODIES_H

#include "dtw_bodies.h"

#include "heddle/wave.h"

/* The sum of the cells, and the largest of them. */
typedef struct dtw_found {
    uint32_t sum[2];
    int32_t max;
} dtw_found;

#define DTW_WAVES(X) X(dtw_cell, 0) X(dtw_cell_sums, 0)
HEDDLE_ENUM(dtw_wave, DTW_WAVES)
HEDDLE_DECLARE(dtw_wave)

#endif
