/* SPDX-License-Identifier: MIT */
/* tiles.h - bodies of tiles for tests of wavefronts; what each makes of a field is in tile_cases.c as a plain loop. */
#ifndef WAVE_TILES_H
#define WAVE_TILES_H

#include "heddle/tile.h"

#define TILES_MOST_ROWS 96u /* of a band */
#define TILES_MOST_ITEMS 8u

typedef struct tiles_params {
    const uint32_t *in;
    uint32_t *out;
    uint64_t at[TILES_MOST_ITEMS]; /* an item's first cell; its rows follow one another */
    uint32_t by;
    uint32_t fail_item, fail_row, fail_col; /* the tile with this cell fails; no such item: none */
} tiles_params;

/* What goes down a column of tiles_down. */
typedef struct tiles_three {
    uint32_t v[3];
} tiles_three;

/* tiles_area: sums over all that is above and to the left; carries the sums of rows, and may hand on early.
 * tiles_down: what stands above is mixed in, three words of it; carries nothing.
 * tiles_cells: cells of four neighbours, one thread; carries the last column and the corner.
 * tiles_own: looks at no neighbour at all. */
#define TILES_BODIES(X) X(tiles_area, 0) X(tiles_down, 0) X(tiles_cells, 0) X(tiles_own, 0)
HEDDLE_ENUM(tiles, TILES_BODIES)
HEDDLE_DECLARE(tiles)

HEDDLE_FN uint32_t tiles_mix(uint32_t h, uint32_t v) { return (h ^ v) * 16777619u + (h >> 15); }
HEDDLE_FN uint32_t tiles_cell(uint32_t n, uint32_t w, uint32_t nw, uint32_t in)
{
    return tiles_mix(tiles_mix(tiles_mix(n, w), nw), in);
}
/* Some tiles hand on before they are through. */
HEDDLE_FN int tiles_is_early(uint32_t by, uint32_t row, uint32_t col)
{
    return tiles_mix(tiles_mix(by, row), col) % 2u == 0;
}
/* A row further down a column. */
HEDDLE_FN void tiles_step(tiles_three *s, uint32_t in, uint32_t by)
{
    s->v[0] = tiles_mix(s->v[0], in);
    s->v[1] = tiles_mix(s->v[1] + by, s->v[0]);
    s->v[2] += s->v[1];
}

#endif
