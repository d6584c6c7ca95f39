/* SPDX-License-Identifier: MIT */
/* endless.h - a cell, a sweep and a tile for waves that would take long. */
#ifndef WAVE_ENDLESS_H
#define WAVE_ENDLESS_H

#include "wave/cells.h"
#include "heddle/tile.h"

typedef struct endless_params {
    uint32_t by;
    uint32_t n_turns; /* of a tile, for each column */
} endless_params;

#define ENDLESS_WAVES(X) X(endless_cell, 0) X(endless_sweep, 0)
HEDDLE_ENUM(endless, ENDLESS_WAVES)
HEDDLE_DECLARE(endless)
#define ENDLESS_TILES(X) X(endless_tile, 0)
HEDDLE_ENUM(endless_tiles, ENDLESS_TILES)
HEDDLE_DECLARE(endless_tiles)

#endif
