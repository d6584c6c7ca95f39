/* SPDX-License-Identifier: MIT */
/* heat_wave_bodies.h - heat as a wave: a cell of a sweep. See heat_bodies.h. */
#ifndef HEAT_WAVE_BODIES_H
#define HEAT_WAVE_BODIES_H

/* Eight rows of two columns would take too many registers: each of their cells is five values. */
#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 1)
#endif
#include "heddle/wave.h"

#define HEAT_WAVES(X) X(heat_cell, 0)
HEDDLE_ENUM(heat_wave, HEAT_WAVES)
HEDDLE_DECLARE(heat_wave)

#endif
