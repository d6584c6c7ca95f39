/* SPDX-License-Identifier: MIT */
/* mix_bodies.c - the bodies of mix: those of four apps, each with its own record. Registers and block-shared memory of a worker are
 * those of the hungriest. */
#include "mix_bodies.h"
#include "des3_tile.h"
#include "fbank_tile.h"
#include "mandel_tile.h"
#include "mm_tile.h"

/* A function of its own: else each kernel would have its squares, and nvcc take a third longer. */
QUAD_APART void mix_products(const heddle_thread *thread, const mm_record *params, const tile_rect *t)
{
    mm_tile(thread, params, t);
}

HEDDLE_BODY(mix_des3, mix_record, params, tile_rect, t) { des3_tile(thread, &params->des3, t); }
HEDDLE_BODY(mix_fbank, mix_record, params, tile_rect, t) { fbank_tile(thread, &params->fbank, t); }
HEDDLE_BODY(mix_mandel, mix_record, params, tile_rect, t) { mandel_of(thread, &params->mandel, t); }
HEDDLE_BODY(mix_mm, mix_record, params, tile_rect, t) { mix_products(thread, &params->mm, t); }

TILE_APART(mix_apart_des3, mix_record, des3_record, des3_tile)
TILE_APART(mix_apart_fbank, mix_record, fbank_record, fbank_tile)
TILE_APART(mix_apart_mandel, mix_record, mandel_record, mandel_of)
TILE_APART(mix_apart_mm, mix_record, mm_record, mix_products)

HEDDLE_POOL_TABLE(mix, mix_record, MIX_BODIES)
HEDDLE_POOL_TABLE(mix_apart, mix_record, MIX_APART_BODIES)
