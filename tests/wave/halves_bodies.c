/* SPDX-License-Identifier: MIT */
/* halves_bodies.c - the cell of halves.h. Compiled as C, or as CUDA. */
#include "wave/halves.h"

HEDDLE_CELL(half_cell, mix_params, params, uint32_t, uint32_t, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return half_of(params->by, in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS_NOTHING(half_cell)

HEDDLE_WAVES(halves, mix_params, HALVES_WAVES)
