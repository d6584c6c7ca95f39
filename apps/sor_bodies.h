/* SPDX-License-Identifier: MIT */
/* sor_bodies.h - the list of the bodies of sor and its cell: in-place sweeps of over-relaxation. Tiles and record are
 * heat's (heat_bodies.h). */
#ifndef SOR_BODIES_H
#define SOR_BODIES_H

#include "heat_bodies.h"

/* A product that is rounded before it is added to, also in builds that fuse the two: results are compared bit by bit. */
TILE_FN float sor_times(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

/* Moves a cell towards the mean of its neighbours, omega times the distance. */
TILE_FN float sor_of(float omega, float x, float n, float s, float e, float w)
{
    return x + sor_times(omega, 0.25f * (n + s + e + w) - x);
}

#define SOR_BODIES(X) X(sor_sweep, 0) /* argument: tile_rect, inside the border */
HEDDLE_ENUM(sor, SOR_BODIES)
HEDDLE_DECLARE(sor)

#endif
