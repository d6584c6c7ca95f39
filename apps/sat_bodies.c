/* SPDX-License-Identifier: MIT */
/* sat_bodies.c - one tile of a summed area table: a pixel counts its value. See prefix.h and prefix_tuned.h. */
#include "sat_bodies.h"
#include "prefix_tuned.h"

TILE_FN uint32_t brightness(uint8_t pixel, uint32_t low, uint32_t width)
{
    (void)low;
    (void)width;
    return pixel;
}

TILE_FN uint32_t four_brightnesses(uint32_t pixels, const prefix_bin *bin)
{
    (void)bin;
    return pixels;
}

HEDDLE_BODY(sat_tile, prefix_record, params, tile_rect, t)
{
    if (params->tuned && warp_fits(thread, PREFIX_MAX_WARPS))
        prefix_tuned(thread, params, t, four_brightnesses);
    else
        prefix_tile(thread, params, t, brightness);
}

HEDDLE_TABLE(sat, prefix_record, SAT_BODIES)
