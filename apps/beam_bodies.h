/* SPDX-License-Identifier: MIT */
/* beam_bodies.h - record and list of the bodies of beam: the signals of an array of sensors, steered and filtered. */
#ifndef BEAM_BODIES_H
#define BEAM_BODIES_H

#include "tile.h"

enum {
    BEAM_CHUNK = 1024,
    BEAM_MOST_TAPS = 64,
    BEAM_AT_ONCE = 4
}; /* samples at a time; results of a thread at a time */

/* A complex number; aligned, so that a GPU loads both parts at once. */
typedef struct __attribute__((aligned(8))) beam_number {
    float re, im;
} beam_number;

typedef struct beam_record {
    const beam_number *in;      /* [channels][samples] */
    const beam_number *weights; /* [beams][channels] */
    const beam_number *filter;  /* taps */
    float *power;               /* [beams][samples] */
    uint64_t samples;
    uint32_t channels, taps;
} beam_record;

#define BEAM_SHARED_BYTES (8 * (BEAM_CHUNK + 2 * BEAM_MOST_TAPS))
#define BEAM_BODIES(X) X(beam_samples, BEAM_SHARED_BYTES) /* argument: tile_rect, beams by samples */
HEDDLE_ENUM(beam, BEAM_BODIES)
HEDDLE_DECLARE(beam)
#define BEAM_APART_BODIES(X) X(beam_apart_samples, BEAM_SHARED_BYTES) /* argument: TILE_APART's */
HEDDLE_ENUM(beam_apart, BEAM_APART_BODIES)
HEDDLE_DECLARE(beam_apart)

#endif
