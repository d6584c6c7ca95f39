/* SPDX-License-Identifier: MIT */
/* des3_bodies.c - the body of des3: see des3_tile.h. */
#include "des3_tile.h"

HEDDLE_BODY(des3_packets, des3_record, params, tile_rect, t) { des3_tile(thread, params, t); }

TILE_APART(des3_apart_packets, des3_record, des3_record, des3_tile)

HEDDLE_POOL_TABLE(des3, des3_record, DES3_BODIES)
HEDDLE_POOL_TABLE(des3_apart, des3_record, DES3_APART_BODIES)
