/* SPDX-License-Identifier: MIT */
/* bodies.c - one cell: the cost of turning the first i + 1 letters of the first text into the first j + 1 of the second. */
#include "bodies.h"

/* The types of the parameters, of a row's datum, a column's and a cell; the bytes of a cell that the row below needs; the
 * neighbours. */
HEDDLE_CELL(edit_cell, edit_params, params, char, char, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    uint32_t one = (in->n < in->w ? in->n : in->w) + 1;
    uint32_t both = in->nw + (in->x == in->y ? 0 : params->change);
    return one < both ? one : both;
}
HEDDLE_FINDS_NOTHING(edit_cell)

HEDDLE_WAVES(edit, edit_params, EDIT_WAVES)
