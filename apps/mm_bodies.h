/* SPDX-License-Identifier: MIT */
/* mm_bodies.h - record and list of the bodies of mm: products of many small square matrices. */
#ifndef MM_BODIES_H
#define MM_BODIES_H

#include "tile.h"

enum { MM_EDGE = 64, MM_DEPTH = 16, MM_LD = MM_EDGE + 4 }; /* see mm_tile.h */

/* Matrices are row-major, one after another. */
typedef struct mm_record {
    const float *a, *b;
    float *c;
    uint64_t order;
} mm_record;

#define MM_SHARED_BYTES (4 * MM_DEPTH * (MM_LD + MM_EDGE))
#define MM_BODIES(X) X(mm_products, MM_SHARED_BYTES) /* argument: tile_rect, products by columns */
HEDDLE_ENUM(mm, MM_BODIES)
HEDDLE_DECLARE(mm)
/* The same without block-shared memory. */
#define MM_PLAIN_BODIES(X) X(mm_plain_products, 0)
HEDDLE_ENUM(mm_plain, MM_PLAIN_BODIES)
HEDDLE_DECLARE(mm_plain)
#define MM_APART_BODIES(X) X(mm_apart_products, MM_SHARED_BYTES) /* argument: TILE_APART's */
HEDDLE_ENUM(mm_apart, MM_APART_BODIES)
HEDDLE_DECLARE(mm_apart)

#endif
