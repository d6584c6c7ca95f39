/* SPDX-License-Identifier: MIT */
/* sor_wave_bodies.h - sor as a wave: a cell of a sweep. See sor_bodies.h. */
#ifndef SOR_WAVE_BODIES_H
#define SOR_WAVE_BODIES_H

#include "sor_bodies.h"

/* Eight rows of two columns would take too many registers: each of their cells is five values. */
#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 1)
#endif
#include "heddle/wave.h"

typedef struct sor_params {
    float omega;
} sor_params;

#define SOR_WAVES(X) X(sor_cell, 0)
HEDDLE_ENUM(sor_wave, SOR_WAVES)
HEDDLE_DECLARE(sor_wave)

#endif
