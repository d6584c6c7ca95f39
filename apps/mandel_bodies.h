/* SPDX-License-Identifier: MIT */
/* mandel_bodies.h - record and list of the bodies of mandel: how often z = z * z + c can be repeated, cell by cell. */
#ifndef MANDEL_BODIES_H
#define MANDEL_BODIES_H

#include "tile.h"

typedef struct mandel_record {
    uint32_t *counts;
    uint64_t rows, cols; /* of the whole picture */
    uint64_t first;      /* row of it that counts begin with */
    uint32_t most;       /* repetitions */
} mandel_record;

#define MANDEL_BODIES(X) X(mandel_tile, 0) /* argument: tile_rect */
HEDDLE_ENUM(mandel, MANDEL_BODIES)
HEDDLE_DECLARE(mandel)
#define MANDEL_APART_BODIES(X) X(mandel_apart_tile, 0) /* argument: TILE_APART's */
HEDDLE_ENUM(mandel_apart, MANDEL_APART_BODIES)
HEDDLE_DECLARE(mandel_apart)

#endif
