/* SPDX-License-Identifier: MIT */
/* mandel_bodies.c - the body of mandel: see mandel_tile.h. */
#include "mandel_tile.h"

HEDDLE_BODY(mandel_tile, mandel_record, params, tile_rect, t) { mandel_of(thread, params, t); }

TILE_APART(mandel_apart_tile, mandel_record, mandel_record, mandel_of)

HEDDLE_POOL_TABLE(mandel, mandel_record, MANDEL_BODIES)
HEDDLE_POOL_TABLE(mandel_apart, mandel_record, MANDEL_APART_BODIES)
