/* SPDX-License-Identifier: MIT */
/* inthist_bodies.c - one tile of an integral histogram, all bins: a pixel counts for one in its bin. See prefix.h
 * and prefix_tuned.h. */
#include "inthist_bodies.h"
#include "prefix_tuned.h"

TILE_FN uint32_t is_in_bin(uint8_t pixel, uint32_t low, uint32_t width) { return pixel - low < width; }

HEDDLE_BODY(inthist_tile, prefix_record, app, tile_rect, t)
{
    if (app->tuned && warp_fits(lane, PREFIX_MAX_WARPS))
        prefix_tuned(lane, app, t, prefix_hits);
    else
        prefix_tile(lane, app, t, is_in_bin);
}

HEDDLE_APP(inthist, prefix_record, INTHIST_BODIES)
