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

/* The tuned version goes through a tile in parts of so many columns at most, and as many rows as `tuned` says: all, if that
 * much shared memory can be had, else HEAT_PART_ROWS. A part is there with what is around it, a row more that is read and
 * not used, and rows that begin eight cells apart at least. */
#define HEAT_PART_COLS 128
#define HEAT_PART_ROWS 64
#define HEAT_LD(cols) (((cols) + 19) / 8 * 8)
#define HEAT_SHARED(rows, cols) (((rows) + 3) * HEAT_LD(cols) * 4)
#define HEAT_MAX_SHARED 98304

#define HEAT_BODIES(X) X(heat_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(heat, HEAT_BODIES)
HEDDLE_DECLARE(heat)

#endif
