/* SPDX-License-Identifier: MIT */
/* fbank_bodies.c - the body of fbank: see fbank_tile.h. */
#include "fbank_tile.h"

HEDDLE_BODY(fbank_signals, fbank_record, params, tile_rect, t) { fbank_tile(thread, params, t); }

TILE_APART(fbank_apart_signals, fbank_record, fbank_record, fbank_tile)

HEDDLE_POOL_TABLE(fbank, fbank_record, FBANK_BODIES)
HEDDLE_POOL_TABLE(fbank_apart, fbank_record, FBANK_APART_BODIES)
