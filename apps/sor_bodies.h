/* SPDX-License-Identifier: MIT */
/* sor_bodies.h - the list of the bodies of sor, whose tiles and record are heat's (heat_bodies.h), and its cell: in-place sweeps
 * that overshoot. */
#ifndef SOR_BODIES_H
#define SOR_BODIES_H

#include "heat_bodies.h"

/* From a cell to the mean of those beside it, and omega times as far. */
TILE_FN float sor_of(float omega, float x, float n, float s, float e, float w)
{
    return x + omega * (0.25f * (n + s + e + w) - x);
}

#define SOR_BODIES(X) X(sor_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(sor, SOR_BODIES)
HEDDLE_DECLARE(sor)

#endif
