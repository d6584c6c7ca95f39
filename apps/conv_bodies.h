/* SPDX-License-Identifier: MIT */
/* conv_bodies.h - record and list of the bodies of conv: a picture smoothed by binomial weights. */
#ifndef CONV_BODIES_H
#define CONV_BODIES_H

#include "tile.h"

enum { CONV_REACH = 2 }; /* rows and columns that a cell's pixels reach beyond it */

typedef struct conv_record {
    const uint8_t *pixels; /* rows of cols each */
    uint32_t *cells;
    uint64_t rows, cols;
    int64_t above; /* rows of pixels before that of the first row of cells */
} conv_record;

#define CONV_BODIES(X) X(conv_tile, 0) /* argument: tile_rect */
HEDDLE_ENUM(conv, CONV_BODIES)
HEDDLE_DECLARE(conv)
#define CONV_APART_BODIES(X) X(conv_apart_tile, 0) /* argument: TILE_APART's */
HEDDLE_ENUM(conv_apart, CONV_APART_BODIES)
HEDDLE_DECLARE(conv_apart)

#endif
