/* SPDX-License-Identifier: MIT */
/* sor_wave_bodies.c - a cell of a sweep of sor. Compiled as C or as CUDA. */
#include "sor_wave_bodies.h"

HEDDLE_SWEEP(sor_cell, sor_params, params, float, 4, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return sor_of(params->omega, in->old_c, in->n, in->old_s, in->old_e, in->w);
}

HEDDLE_WAVES(sor_wave, sor_params, SOR_WAVES)
