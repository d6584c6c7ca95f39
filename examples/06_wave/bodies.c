/* SPDX-License-Identifier: MIT */
/* bodies.c - one cell: what it costs to make the first j + 1 letters of the second text of the first i + 1 of the first. */
#include "bodies.h"

/* The types of the parameters, of what is known of a row and of a column, and of a cell; how many of its bytes the row below
 * needs; the neighbours. */
HEDDLE_CELL(edit_cell, edit_params, params, char, char, uint32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    uint32_t one = (in->n < in->w ? in->n : in->w) + 1;
    uint32_t both = in->nw + (in->x == in->y ? 0 : params->change);
    return one < both ? one : both;
}
HEDDLE_FINDS_NOTHING(edit_cell)

HEDDLE_WAVES(edit, edit_params, EDIT_WAVES)
