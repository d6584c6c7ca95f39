/* SPDX-License-Identifier: MIT */
/* waves.h - a cell that computes nothing. */
#ifndef OVERHEAD_WAVES_H
#define OVERHEAD_WAVES_H

#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2)
#include "heddle/wave.h"

typedef struct idle_params {
    uint32_t none;
} idle_params;

#define IDLE_WAVES(X) X(idle_cell, 0)
HEDDLE_ENUM(idle, IDLE_WAVES)
HEDDLE_DECLARE(idle)

#endif
