/* SPDX-License-Identifier: MIT */
/* heat_wave_bodies.c - a cell of a sweep of heat: the sum of heat_bodies.c, in its order. Compiled as C or as CUDA. */
#include "heat_wave_bodies.h"

HEDDLE_SWEEP(heat_cell, heddle_nothing, none, float, 4, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return 0.25f * (in->n + in->old_s + in->old_e + in->w);
}

HEDDLE_WAVES(heat_wave, heddle_nothing, HEAT_WAVES)
