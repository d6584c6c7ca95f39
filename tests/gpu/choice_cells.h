/* SPDX-License-Identifier: MIT */
/* choice_cells.h - a cell with every way of running: two shapes, and tiles. Its value depends on all cells before it. */
#ifndef GPU_CHOICE_CELLS_H
#define GPU_CHOICE_CELLS_H

#define HEDDLE_WAVE_TILES
#include "heddle/wave.h"

typedef struct choice_params {
    uint32_t by;
} choice_params;

HEDDLE_FN uint32_t choice_of(uint32_t n, uint32_t w, uint32_t nw, uint32_t by)
{
    return (n * 5u ^ w * 3u) + (nw >> 7) + by;
}

#define CHOICE_WAVES(X) X(choice_cell, 0)
HEDDLE_ENUM(choice, CHOICE_WAVES)
HEDDLE_DECLARE(choice)

#endif
