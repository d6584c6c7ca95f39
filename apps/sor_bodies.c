/* SPDX-License-Identifier: MIT */
/* sor_bodies.c - one sweep of over-relaxation over one tile. Many lanes take an anti-diagonal at a time, with a barrier
 * after each. */
#include "sor_bodies.h"

TILE_FN void sweep_cell(float *x, int64_t stride, float omega)
{
    *x = sor_of(omega, *x, x[-stride], x[stride], x[1], x[-1]);
}

HEDDLE_BODY(sor_sweep, heat_record, params, tile_rect, t)
{
    float *x = params->x + tile_row(t, (uint64_t)params->stride, 0);
    const int64_t stride = params->stride;
    const int rows = (int)t->rows, cols = (int)t->cols;
    if (thread->team_size == 1) {
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                sweep_cell(x + r * stride + c, stride, params->omega);
        return;
    }
    for (int k = 0; k < rows + cols - 1; k++) {
        const int top = k < cols ? 0 : k - cols + 1, bottom = k < rows ? k : rows - 1;
        HEDDLE_EACH (i, bottom - top + 1)
            sweep_cell(x + (top + i) * stride + k - (top + i), stride, params->omega);
        heddle_team_barrier(thread);
    }
}

HEDDLE_TABLE(sor, heat_record, SOR_BODIES)
