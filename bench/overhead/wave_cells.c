/* SPDX-License-Identifier: MIT */
/* wave_cells.c - the cell of waves.h. */
#include "waves.h"

HEDDLE_CELL(idle_cell, idle_params, params, heddle_nothing, heddle_nothing, uint32_t, 4, HEDDLE_N) { return in->n; }
HEDDLE_FINDS_NOTHING(idle_cell)

HEDDLE_WAVES(idle, idle_params, IDLE_WAVES)
