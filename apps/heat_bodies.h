/* SPDX-License-Identifier: MIT */
/* heat_bodies.h - records and list of the bodies of heat: in-place Gauss-Seidel sweeps over a field. */
#ifndef HEAT_BODIES_H
#define HEAT_BODIES_H

#include "tile.h"

typedef struct heat_record {
    float *x;
    int64_t stride; /* cells from row to row */
    uint32_t tuned; /* rows of a part, 0: the portable version */
    float omega;    /* of sor */
} heat_record;

/* The tuned version sweeps a tile in parts of at most HEAT_PART_COLS columns and of `tuned` rows: all rows if enough
 * shared memory can be had, else HEAT_PART_ROWS. Shared memory holds a part with the cells around it, plus one row that
 * is read and not used. Its rows start at least eight cells apart. */
#define HEAT_PART_COLS 128
#define HEAT_PART_ROWS 64
#define HEAT_LD(cols) (((cols) + 19) / 8 * 8)
#define HEAT_SHARED(rows, cols) (((rows) + 3) * HEAT_LD(cols) * 4)
#define HEAT_MAX_SHARED 98304

#define HEAT_BODIES(X) X(heat_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(heat, HEAT_BODIES)
HEDDLE_DECLARE(heat)

#endif
