/* SPDX-License-Identifier: MIT */
/* crowd_cells.h - a cell that depends on all cells before it, so that a band that begins too early shows. */
#ifndef GPU_CROWD_CELLS_H
#define GPU_CROWD_CELLS_H

#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2)
#include "heddle/wave.h"

typedef struct crowd_params {
    uint32_t by;
} crowd_params;

HEDDLE_FN uint32_t crowd_of(uint32_t n, uint32_t w, uint32_t nw, uint32_t by)
{
    return (n * 5u ^ w * 3u) + (nw >> 7) + by;
}

#define CROWD_WAVES(X) X(crowd_cell, 0)
HEDDLE_ENUM(crowd, CROWD_WAVES)
HEDDLE_DECLARE(crowd)

#endif
