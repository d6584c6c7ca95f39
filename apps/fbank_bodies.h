/* SPDX-License-Identifier: MIT */
/* fbank_bodies.h - record and list of the bodies of fbank: signals through a bank of filters. */
#ifndef FBANK_BODIES_H
#define FBANK_BODIES_H

#include "tile.h"

enum {
    FBANK_CHANNELS = 8,
    FBANK_TAPS = 32,
    FBANK_KEPT = 8,                                                     /* of so many samples one is kept */
    FBANK_TURNS = FBANK_TAPS / FBANK_KEPT,                              /* kept samples that a filter spans */
    FBANK_CHUNK = 2048,                                                 /* samples of a signal at a time */
    FBANK_AT_ONCE = 4,                                                  /* results of a thread at a time */
    FBANK_MOST = FBANK_CHUNK / FBANK_KEPT + FBANK_AT_ONCE + FBANK_TURNS /* kept samples of a chunk, rounded up */
};

typedef struct fbank_record {
    const int16_t *in; /* signals one after another, `samples` each */
    int64_t *out;
    const int32_t
        *filters; /* before samples are dropped, [FBANK_TAPS][FBANK_CHANNELS]; then those after, [channel][tap] */
    uint64_t samples;
} fbank_record;

#define FBANK_SHARED_BYTES (4 * FBANK_CHANNELS * (FBANK_MOST + FBANK_TAPS))
#define FBANK_BODIES(X) X(fbank_signals, FBANK_SHARED_BYTES) /* argument: tile_rect, signals by samples */
HEDDLE_ENUM(fbank, FBANK_BODIES)
HEDDLE_DECLARE(fbank)
#define FBANK_APART_BODIES(X) X(fbank_apart_signals, FBANK_SHARED_BYTES) /* argument: TILE_APART's */
HEDDLE_ENUM(fbank_apart, FBANK_APART_BODIES)
HEDDLE_DECLARE(fbank_apart)

#endif
