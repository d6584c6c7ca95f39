/* SPDX-License-Identifier: MIT */
/* accelerator_bodies.h - bodies of loops for a GPU as an accelerator, and for the emulator of blocks; and the same loops on the host,
 * tile after tile. */
#ifndef GPU_ACCELERATOR_BODIES_H
#define GPU_ACCELERATOR_BODIES_H

#include "heddle/loop.h"

#define LOOPED_TILE_MOST 1024u /* indices of a tile of looped_turn */
#define LOOPED_SHARED_MOST (LOOPED_TILE_MOST * sizeof(float))

typedef struct looped_params {
    const float *in;
    float *out;
    double *sums;     /* of each tile */
    uint32_t *blocks; /* of each tile: the block that ran it */
    uint64_t n, n_2;
    uint64_t fail_at;
    uint32_t code, whole; /* whole: the failure is the tile's */
    float by;
} looped_params;

/* looped_scale: with both neighbours. looped_cross: two dimensions. looped_turn: each tile turned round in block-shared memory.
 * looped_sums: the sum of each tile. looped_fails: touches no memory
 * but `blocks`, if that is there: the block, + 1. */
#define LOOPED_BODIES(X) \
    X(looped_scale, 0)   \
    X(looped_cross, 0) X(looped_turn, LOOPED_SHARED_MOST) X(looped_sums, 0) X(looped_fails, 0)
HEDDLE_ENUM(looped, LOOPED_BODIES)
HEDDLE_DECLARE(looped)

/* The whole loop in order. Returns the code of its first failure. */
static inline uint32_t looped_plain(uint32_t body, const looped_params *params, uint64_t tile, uint64_t tile_2)
{
    static unsigned char shared[HEDDLE_REDUCE_BYTES + LOOPED_SHARED_MOST] __attribute__((aligned(128)));
    heddle_failure failure = {0, 0, 0, 0};
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    uint64_t i, j;
    for (i = 0; i < params->n; i += tile)
        for (j = 0; j < params->n_2; j += tile_2) {
            heddle_span s;
            s.begin = i;
            s.end = params->n - i < tile ? params->n : i + tile;
            s.begin_2 = j;
            s.end_2 = params->n_2 - j < tile_2 ? params->n_2 : j + tile_2;
            s.tile = i / tile;
            thread.task = (uint32_t)i;
            looped.bodies[body].run(&thread, params, &s);
        }
    return failure.code;
}

#endif
