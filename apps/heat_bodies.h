/* SPDX-License-Identifier: MIT */
/* heat_bodies.h - records and list of the bodies of heat: in-place Gauss-Seidel sweeps over a field. */
#ifndef HEAT_BODIES_H
#define HEAT_BODIES_H

#include "tile.h"

typedef struct heat_record {
    float *x;
    int64_t stride; /* cells from row to row */
} heat_record;

#define HEAT_BODIES(X) X(heat_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(heat, HEAT_BODIES)
HEDDLE_DECLARE(heat)

#endif
