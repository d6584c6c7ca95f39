/* SPDX-License-Identifier: MIT */
/* crowd_cells.c - implements crowd_cells.h. */
#include "crowd_cells.h"

HEDDLE_CELL(crowd_cell, crowd_params, params, heddle_nothing, heddle_nothing, uint32_t, 4,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return crowd_of(in->n, in->w, in->nw, params->by);
}
HEDDLE_FINDS_NOTHING(crowd_cell)

HEDDLE_WAVES(crowd, crowd_params, CROWD_WAVES)
