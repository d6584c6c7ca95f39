/* SPDX-License-Identifier: MIT */
/* inthist_bodies.c - one tile of an integral histogram, all bins: a pixel counts for one in its bin. See prefix.h
 * and prefix_tuned.h. */
#include "inthist_bodies.h"
#include "prefix_tuned.h"

TILE_FN uint32_t is_in_bin(uint8_t pixel, uint32_t low, uint32_t width) { return pixel - low < width; }

HEDDLE_BODY(inthist_tile, prefix_record, params, tile_rect, t)
{
    if (params->tuned && warp_fits(thread, PREFIX_MAX_WARPS))
        prefix_tuned(thread, params, t, prefix_hits);
    else
        prefix_tile(thread, params, t, is_in_bin);
}

HEDDLE_TABLE(inthist, prefix_record, INTHIST_BODIES)
