/* SPDX-License-Identifier: MIT */
/* sor_wave_bodies.h - sor as a wave: a cell of a sweep. See sor_bodies.h. */
#ifndef SOR_WAVE_BODIES_H
#define SOR_WAVE_BODIES_H

#include "sor_bodies.h"

#include "heddle/wave.h"

typedef struct sor_params {
    float omega;
} sor_params;

#define SOR_WAVES(X) X(sor_cell, 0)
HEDDLE_ENUM(sor_wave, SOR_WAVES)
HEDDLE_DECLARE(sor_wave)

#endif
