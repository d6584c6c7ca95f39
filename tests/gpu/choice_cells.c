/* SPDX-License-Identifier: MIT */
/* choice_cells.c - implements choice_cells.h. */
#include "choice_cells.h"

HEDDLE_CELL(choice_cell, choice_params, params, heddle_nothing, heddle_nothing, uint32_t, 4,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return choice_of(in->n, in->w, in->nw, params->by);
}
HEDDLE_FINDS_NOTHING(choice_cell)

HEDDLE_WAVES(choice, choice_params, CHOICE_WAVES)
