/* SPDX-License-Identifier: MIT */
/* inthist_bodies.c - one tile of an integral histogram, all bins: a pixel counts for one in its bin. See prefix.h. */
#include "inthist_bodies.h"

TILE_FN uint32_t is_in_bin(uint8_t pixel, uint32_t low, uint32_t width) { return pixel - low < width; }

HEDDLE_BODY(inthist_tile, prefix_record, app, tile_rect, t) { prefix_tile(lane, app, t, is_in_bin); }

HEDDLE_APP(inthist, prefix_record, INTHIST_BODIES)
