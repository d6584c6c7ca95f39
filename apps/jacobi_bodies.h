/* SPDX-License-Identifier: MIT */
/* jacobi_bodies.h - records and list of the bodies of jacobi: sweeps from one field into another, and back. */
#ifndef JACOBI_BODIES_H
#define JACOBI_BODIES_H

#include "tile.h"

typedef struct jacobi_record {
    float *old, *next;
    int64_t stride; /* cells from row to row */
    uint32_t tuned;
} jacobi_record;

/* Arguments: tile_rect, inside the border. */
#define JACOBI_BODIES(X) X(jacobi_compute, 0) X(jacobi_copy, 0)
HEDDLE_ENUM(jacobi, JACOBI_BODIES)
HEDDLE_DECLARE(jacobi)

#endif
