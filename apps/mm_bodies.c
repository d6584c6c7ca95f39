/* SPDX-License-Identifier: MIT */
/* mm_bodies.c - the body of mm: see mm_tile.h. */
#include "mm_tile.h"

HEDDLE_BODY(mm_products, mm_record, params, tile_rect, t) { mm_tile(thread, params, t); }

TILE_APART(mm_apart_products, mm_record, mm_record, mm_tile)

HEDDLE_POOL_TABLE(mm, mm_record, MM_BODIES)
HEDDLE_POOL_TABLE(mm_apart, mm_record, MM_APART_BODIES)
