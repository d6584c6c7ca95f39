/* SPDX-License-Identifier: MIT */
/* sweeps.c - the sweeps of cells.h. Compiled as C or as CUDA. */
#ifndef HEDDLE_WAVE_TILES
#define HEDDLE_WAVE_TILES
#endif
/* Eight rows of two columns would exceed the registers. */
#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 1)
#endif
#include "cells.h"
#include "sor_bodies.h"

HEDDLE_SWEEP(peer_heat, peer_params, params, float, 4, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return 0.25f * (in->n + in->old_s + in->old_e + in->w);
}

HEDDLE_SWEEP(peer_sor, peer_params, params, float, 4, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return sor_of(params->omega, in->old_c, in->n, in->old_s, in->old_e, in->w);
}

HEDDLE_WAVES(peer_sweeps, peer_params, PEER_SWEEPS)
