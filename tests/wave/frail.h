/* SPDX-License-Identifier: MIT */
/* frail.h - cells, sweeps and tiles that fail now and then, depending on what they compute: so the place of the first
 * failure depends on all that comes before it. */
#ifndef WAVE_FRAIL_H
#define WAVE_FRAIL_H

#include "wave/cells.h"
#include "heddle/tile.h"

#define FRAIL_ITEMS 4u

typedef struct frail_params {
    uint32_t by;
    uint32_t odds; /* one in `odds` fails; 0: none does */
    /* For tiles: the array of their cells, and each item's first cell. */
    uint32_t *out;
    uint64_t at[FRAIL_ITEMS];
} frail_params;

#define FRAIL_SWEEPS(X) X(frail_sweep, 1) X(frail_sweeps, 3)
#define FRAIL_WAVES(X) X(frail_cell, 0) X(frail_east, 0) X(frail_sweep, 0) X(frail_sweeps, 0)
HEDDLE_ENUM(frail, FRAIL_WAVES)
HEDDLE_DECLARE(frail)
#define FRAIL_TILES(X) X(frail_tile, 0)
HEDDLE_ENUM(frail_tiles, FRAIL_TILES)
HEDDLE_DECLARE(frail_tiles)

/* The code with which the cell or tile with this number fails; 0: it does not fail. */
HEDDLE_FN uint32_t frail_code(uint32_t odds, uint32_t v)
{
    return odds && mix_in(v, 77u) % odds == 0 ? 1u + v % 1000u : 0u;
}

HEDDLE_FN uint32_t frail_of(uint32_t by, uint32_t n, uint32_t w, uint32_t last, uint32_t i, uint32_t j)
{
    return mix_of(HEDDLE_N | HEDDLE_W | HEDDLE_NW, by, n, w, last, 0, 0, 0, i, j);
}
HEDDLE_FN uint32_t frail_sweep_of(uint32_t by, uint32_t n, uint32_t w, uint32_t c, uint32_t e, uint32_t s)
{
    return mix_in(mix_in(frail_of(by, n, w, c, 0, 0), e), s);
}
/* A number for each tile. */
HEDDLE_FN uint32_t frail_number(uint32_t by, uint32_t item, uint32_t row, uint32_t col)
{
    return frail_of(by, item, row, col, 1, 2);
}

#endif
