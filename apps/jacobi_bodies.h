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

/* The tuned versions take a tile as panels of so many quads, from top to bottom, a batch of rows at a time, through a ring
 * of batches in shared memory; before each row there is room for a quad, the cell to its left and to the right of the row
 * above. */
#define JACOBI_PANEL 32
#define JACOBI_BATCH 16
#define JACOBI_RING 5
#define JACOBI_LD (4 * JACOBI_PANEL + 4)
#define JACOBI_SHARED ((JACOBI_RING * JACOBI_BATCH * JACOBI_LD + 4) * sizeof(float))

/* Arguments: tile_rect, inside the border. */
#define JACOBI_BODIES(X) X(jacobi_compute, 0) X(jacobi_copy, 0)
HEDDLE_ENUM(jacobi, JACOBI_BODIES)
HEDDLE_DECLARE(jacobi)

#endif
