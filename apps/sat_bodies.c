/* SPDX-License-Identifier: MIT */
/* sat_bodies.c - one tile of a summed area table: a pixel counts for what it is. See prefix.h. */
#include "sat_bodies.h"

TILE_FN uint32_t brightness(uint8_t pixel, uint32_t low, uint32_t width)
{
    (void)low;
    (void)width;
    return pixel;
}

HEDDLE_BODY(sat_tile, prefix_record, app, tile_rect, t) { prefix_tile(lane, app, t, brightness); }

HEDDLE_APP(sat, prefix_record, SAT_BODIES)
