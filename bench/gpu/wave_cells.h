/* SPDX-License-Identifier: MIT */
/* wave_cells.h - the cells that wave.c measures: Smith-Waterman, with and without the best score, and time warping. */
#ifndef BENCH_WAVE_CELLS_H
#define BENCH_WAVE_CELLS_H

#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 2)
#include "heddle/wave.h"

typedef struct speed_params {
    int32_t match, mismatch, gap, pad;
} speed_params;

#define SPEED_WAVES(X) X(speed_sw, 0) X(speed_sw_plain, 0) X(speed_dtw, 0)
HEDDLE_ENUM(speed, SPEED_WAVES)
HEDDLE_DECLARE(speed)

#endif
