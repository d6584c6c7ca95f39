/* SPDX-License-Identifier: MIT */
/* heat_bodies.h - records and list of the bodies of heat: in-place Gauss-Seidel sweeps over a field. */
#ifndef HEAT_BODIES_H
#define HEAT_BODIES_H

#include "tile.h"

typedef struct heat_record {
    float *x;
    int64_t stride; /* cells from row to row */
    uint32_t tuned;
} heat_record;

/* What the tuned version asks for: columns of a tile, and block-shared memory, which the portable one does not use: the
 * tile with what is around it, a row more that is read and not used, and rows that begin eight cells apart at least. */
#define HEAT_MAX_COLS 128
#define HEAT_LD(cols) (((cols) + 19) / 8 * 8)
#define HEAT_SHARED(rows, cols) (((rows) + 3) * HEAT_LD(cols) * 4)
#define HEAT_MAX_SHARED 98304

#define HEAT_BODIES(X) X(heat_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(heat, HEAT_BODIES)
HEDDLE_DECLARE(heat)

#endif
