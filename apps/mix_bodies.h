/* SPDX-License-Identifier: MIT */
/* mix_bodies.h - record and list of the bodies of mix: those of four apps in one table. */
#ifndef MIX_BODIES_H
#define MIX_BODIES_H

#include "des3_bodies.h"
#include "fbank_bodies.h"
#include "mandel_bodies.h"
#include "mm_bodies.h"

typedef struct mix_record {
    des3_record des3;
    fbank_record fbank;
    mandel_record mandel;
    mm_record mm;
} mix_record;

/* Each has the argument of its app, a tile_rect. */
#define MIX_BODIES(X)                \
    X(mix_des3, DES3_SHARED_BYTES)   \
    X(mix_fbank, FBANK_SHARED_BYTES) \
    X(mix_mandel, 0)                 \
    X(mix_mm, MM_SHARED_BYTES)
HEDDLE_ENUM(mix, MIX_BODIES)
HEDDLE_DECLARE(mix)
/* The same, with TILE_APART's argument. */
#define MIX_APART_BODIES(X)                \
    X(mix_apart_des3, DES3_SHARED_BYTES)   \
    X(mix_apart_fbank, FBANK_SHARED_BYTES) \
    X(mix_apart_mandel, 0)                 \
    X(mix_apart_mm, MM_SHARED_BYTES)
HEDDLE_ENUM(mix_apart, MIX_APART_BODIES)
HEDDLE_DECLARE(mix_apart)

#endif
