/* SPDX-License-Identifier: MIT */
/* bodies.c - implements bodies.h. Compiled as C or as CUDA. */
#include "front/bodies.h"

HEDDLE_CELL(front_mix, front_params, params, uint32_t, uint16_t, front_wide, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    front_wide c;
    c.at[0] = front_of(params->by, in->n.at[0], in->w.at[0], in->nw.at[0], in->x, in->y, in->i, in->j);
    c.at[1] = in->w.at[1] + c.at[0];
    c.at[2] = in->j;
    return c;
}
HEDDLE_FINDS(front_mix, front_found)
HEDDLE_FIND(front_mix, cell, row, column, found)
{
    found->sum += cell->at[0];
    if (cell->at[0] > found->most || !found->most) {
        found->most = cell->at[0];
        found->row = row;
        found->column = column;
    }
}
HEDDLE_MERGE(front_mix, a, b)
{
    const uint32_t sum = a->sum + b->sum;
    const int later =
        b->most < a->most || (b->most == a->most && (b->row > a->row || (b->row == a->row && b->column >= a->column)));
    if (!later)
        *a = *b;
    a->sum = sum;
}

HEDDLE_CELL(front_best, front_params, params, uint32_t, uint16_t, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return front_of(params->by, in->n, in->w, in->nw, in->x, in->y, 0, 0);
}
HEDDLE_FINDS_BEST(front_best, cell) { return (int)(*cell >> 22); }

HEDDLE_CELL(front_east, front_params, params, uint32_t, uint16_t, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NE)
{
    return front_of(params->by, in->n, in->w, in->ne, in->x, in->y, in->i, in->j);
}
HEDDLE_FINDS_NOTHING(front_east)

HEDDLE_SWEEP(front_sweep, front_params, params, uint32_t, 3,
             HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return front_of(params->by, in->n, in->w, in->old_c, in->old_e, in->old_s, in->i, in->j);
}

HEDDLE_CELL(front_frail, front_params, params, uint32_t, uint16_t, uint32_t, 4,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW | HEDDLE_FAILS)
{
    if ((in->i == params->fail_row && in->j == params->fail_col) || (in->i > params->fail_row && in->j == 0))
        heddle_cell_fail(in, 7);
    return front_of(params->by, in->n, in->w, in->nw, in->x, in->y, in->i, in->j);
}
HEDDLE_FINDS_NOTHING(front_frail)

HEDDLE_WAVES(front, front_params, FRONT_WAVES)
