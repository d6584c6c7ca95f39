/* SPDX-License-Identifier: MIT */
/* dct_bodies.h - record and list of the bodies of dct: the cosine transform of a picture's blocks of 8 x 8 pixels. */
#ifndef DCT_BODIES_H
#define DCT_BODIES_H

#include "tile.h"

enum {
    DCT_EDGE = 8,
    DCT_STRIP = 128,
    DCT_LD = DCT_STRIP + 4
}; /* pixels of a block; columns of a strip, and its rows' distance */

typedef struct dct_record {
    const uint8_t *pixels;
    float *out; /* whole blocks: row u, column v of each in its place */
    uint64_t rows, cols, stride;
} dct_record;

#define DCT_SHARED_BYTES (2 * 4 * DCT_EDGE * DCT_LD)
#define DCT_BODIES(X) X(dct_tile, DCT_SHARED_BYTES) /* argument: tile_rect, of pixels */
HEDDLE_ENUM(dct, DCT_BODIES)
HEDDLE_DECLARE(dct)
/* The same without block-shared memory. */
#define DCT_PLAIN_BODIES(X) X(dct_plain_tile, 0)
HEDDLE_ENUM(dct_plain, DCT_PLAIN_BODIES)
HEDDLE_DECLARE(dct_plain)
#define DCT_APART_BODIES(X) X(dct_apart_tile, DCT_SHARED_BYTES) /* argument: TILE_APART's */
HEDDLE_ENUM(dct_apart, DCT_APART_BODIES)
HEDDLE_DECLARE(dct_apart)

#endif
