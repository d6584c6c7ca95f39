/* SPDX-License-Identifier: MIT */
/* dtw_wave_bodies.c - a cell of dynamic time warping. Compiled as C or as CUDA. */
#include "dtw_wave_bodies.h"

/* Joins the cell above last, as if it were the left one: cells pass from row to row more often than from column to column. */
TILE_FN int32_t dtw_score(int32_t up, int32_t left, int32_t both, int32_t x, int32_t y)
{
    return dtw_cell_of(left, up, both, x, y);
}

HEDDLE_CELL(dtw_cell, heddle_nothing, none, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return dtw_score(in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS_NOTHING(dtw_cell)

HEDDLE_CELL(dtw_cell_sums, heddle_nothing, none, int32_t, int32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return dtw_score(in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS(dtw_cell_sums, dtw_found)
HEDDLE_FIND(dtw_cell_sums, cell, i, j, found)
{
    cell_sum(found->sum, (uint32_t)*cell);
    found->max = cell_max(found->max, *cell);
}
HEDDLE_MERGE(dtw_cell_sums, a, b)
{
    cell_sum(a->sum, cell_sum_of(b->sum));
    a->max = cell_max(a->max, b->max);
}

HEDDLE_WAVES(dtw_wave, heddle_nothing, DTW_WAVES)
