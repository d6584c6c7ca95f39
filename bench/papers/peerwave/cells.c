/* SPDX-License-Identifier: MIT */
/* cells.c - cells.h without its sweeps. Compiled as C or as CUDA. */
#ifndef HEDDLE_WAVE_TILES
#define HEDDLE_WAVE_TILES /* barriers and CUDA graphs run tiles, too */
#endif
#include "cells.h"
#include "dtw_bodies.h"
#include "sw_bodies.h"

HEDDLE_CELL(peer_sw, peer_params, params, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    const int32_t score = heddle_if_equal((uint32_t)in->x, (uint32_t)in->y, params->match, params->mismatch);
    return sw_cell_of(in->w, in->n, cell_add(in->nw, score), params->gap);
}
HEDDLE_FINDS_NOTHING(peer_sw)

HEDDLE_CELL(peer_dtw, peer_params, params, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return dtw_cell_of(in->w, in->n, in->nw, in->x, in->y);
}
HEDDLE_FINDS_NOTHING(peer_dtw)

HEDDLE_CELL(peer_sat, peer_params, params, heddle_nothing, heddle_nothing, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return in->n + in->w - in->nw + peer_pixel_at(params, in->i, in->j);
}
HEDDLE_FINDS_NOTHING(peer_sat)

/* x: the bin; each bin has a field. */
HEDDLE_CELL(peer_inthist, peer_params, params, uint32_t, heddle_nothing, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    const uint32_t bin = peer_pixel_at(params, in->i, in->j) * params->n_bins / 256u;
    return in->n + in->w - in->nw + (bin == in->x && in->i < params->rows && in->j < params->cols);
}
HEDDLE_FINDS_NOTHING(peer_inthist)

HEDDLE_WAVES(peer_cells, peer_params, PEER_CELLS)
