/* SPDX-License-Identifier: MIT */
/* wave_cells.c - implements wave_cells.h. */
#include "wave_cells.h"

#include <math.h>

HEDDLE_FN int32_t speed_cell(const speed_params *params, int32_t n, int32_t w, int32_t nw, uint32_t x, uint32_t y)
{
    const int32_t both = nw + heddle_if_equal(x, y, params->match, params->mismatch);
    const int32_t cell = heddle_add_max(n, params->gap, heddle_add_max(w, params->gap, both));
    return cell > 0 ? cell : 0;
}

HEDDLE_CELL(speed_sw, speed_params, params, uint32_t, uint32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return speed_cell(params, in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS_BEST(speed_sw, cell) { return *cell; }

HEDDLE_CELL(speed_sw_plain, speed_params, params, uint32_t, uint32_t, int32_t, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return speed_cell(params, in->n, in->w, in->nw, in->x, in->y);
}
HEDDLE_FINDS_NOTHING(speed_sw_plain)

HEDDLE_CELL(speed_dtw, speed_params, params, float, float, float, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    const float d = in->x - in->y;
    return fabsf(d) + heddle_min_float(in->n, heddle_min_float(in->w, in->nw));
}
HEDDLE_FINDS_NOTHING(speed_dtw)

HEDDLE_WAVES(speed, speed_params, SPEED_WAVES)
