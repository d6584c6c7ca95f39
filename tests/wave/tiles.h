/* SPDX-License-Identifier: MIT */
/* tiles.h - bodies of tiles for tests of wavefronts; tile_cases.c has the plain loop of each. */
#ifndef WAVE_TILES_H
#define WAVE_TILES_H

#include "heddle/tile.h"

#define TILES_MOST_ROWS 96u /* rows of a band, at most */
#define TILES_MOST_ITEMS 8u

typedef struct tiles_params {
    const uint32_t *in;
    uint32_t *out;
    uint64_t at[TILES_MOST_ITEMS]; /* an item's first cell; rows follow without gaps */
    uint32_t by;
    uint32_t fail_item, fail_row, fail_col; /* the tile with this cell fails; no such item: none */
} tiles_params;

/* What a column of tiles_down passes south. */
typedef struct tiles_three {
    uint32_t v[3];
} tiles_three;

/* tiles_area: sums over all cells above and to the left; carries row sums, and may hand on early.
 * tiles_down: mixes in three words from above; carries nothing.
 * tiles_cells: cells of four neighbours, by one thread; carries the last column and the corner.
 * tiles_own: reads no neighbour. */
#define TILES_BODIES(X) X(tiles_area, 0) X(tiles_down, 0) X(tiles_cells, 0) X(tiles_own, 0)
HEDDLE_ENUM(tiles, TILES_BODIES)
HEDDLE_DECLARE(tiles)

HEDDLE_FN uint32_t tiles_mix(uint32_t h, uint32_t v) { return (h ^ v) * 16777619u + (h >> 15); }
HEDDLE_FN uint32_t tiles_cell(uint32_t n, uint32_t w, uint32_t nw, uint32_t in)
{
    return tiles_mix(tiles_mix(tiles_mix(n, w), nw), in);
}
/* Some tiles hand on before they are complete. */
HEDDLE_FN int tiles_is_early(uint32_t by, uint32_t row, uint32_t col)
{
    return tiles_mix(tiles_mix(by, row), col) % 2u == 0;
}
/* One row further down a column. */
HEDDLE_FN void tiles_step(tiles_three *s, uint32_t in, uint32_t by)
{
    s->v[0] = tiles_mix(s->v[0], in);
    s->v[1] = tiles_mix(s->v[1] + by, s->v[0]);
    s->v[2] += s->v[1];
}

#endif
