/* SPDX-License-Identifier: MIT */
/* heat_bodies.c - one sweep over one tile: each cell becomes the mean of its four neighbours, of which those above and
 * to the left are new already.
 *
 * Row by row a cell waits for its left neighbour: an add and a multiplication, one after the other, a cell. So one
 * lane takes SKEW rows at once, each a column behind the row above it: as many independent chains, and what a row needs
 * from the row above is still in a register. Many lanes do the same with all rows of the tile: one anti-diagonal at a
 * time, with a barrier after each. Every way computes a cell by the same expression from the same values. */
#include "heat_bodies.h"

#define SKEW 8

TILE_FN float mean(float above, float below, float right, float left) { return 0.25f * (above + below + right + left); }

TILE_FN void sweep_cell(float *x, int64_t stride) { *x = mean(x[-stride], x[stride], x[1], x[-1]); }

/* Columns begin to end of one row. */
TILE_FN void sweep_row(float *x, int64_t stride, int begin, int end)
{
    float left = x[begin - 1];
    for (int c = begin; c < end; c++)
        x[c] = left = mean(x[c - stride], x[c + stride], x[c + 1], left);
}

/* SKEW rows from x on: a triangle to begin with, then all rows in step, then the triangle that is left. In step k row
 * i is at column k - i, and last[i] is its newest cell. Its left neighbour is last[i] of the step before, the one
 * above is last[i - 1]; the one below is what row i + 1 has as its right neighbour. */
TILE_FN void sweep_skewed(float *x, int64_t stride, int cols)
{
    float last[SKEW];
    for (int i = 0; i < SKEW; i++) {
        sweep_row(x + i * stride, stride, 0, SKEW - 1 - i);
        last[i] = x[i * stride + SKEW - 2 - i];
    }
    for (int k = SKEW - 1; k < cols; k++) {
        float below = x[SKEW * stride + k - (SKEW - 1)];
        for (int i = SKEW - 1; i >= 0; i--) {
            float *at = x + i * stride + k - i;
            float above = i ? last[i - 1] : at[-stride], right = at[1];
            at[0] = last[i] = mean(above, below, right, last[i]);
            below = right;
        }
    }
    for (int i = 1; i < SKEW; i++)
        sweep_row(x + i * stride, stride, cols - i, cols);
}

TILE_FN void sweep_alone(float *x, int64_t stride, int rows, int cols)
{
    int r = 0;
    if (cols >= SKEW)
        for (; r + SKEW <= rows; r += SKEW) {
            for (int i = r + SKEW; i < r + 2 * SKEW && i < rows; i++)
                tile_fetch(x + i * stride, (uint64_t)cols * sizeof(float));
            sweep_skewed(x + r * stride, stride, cols);
        }
    for (; r < rows; r++)
        sweep_row(x + r * stride, stride, 0, cols);
}

HEDDLE_BODY(heat_sweep, heat_record, app, tile_rect, t)
{
    float *x = app->x + tile_row(t, (uint64_t)app->stride, 0);
    int rows = (int)t->rows, cols = (int)t->cols;
    if (lane->count == 1) {
        sweep_alone(x, app->stride, rows, cols);
        return;
    }
    for (int k = 0; k < rows + cols - 1; k++) {
        int top = k < cols ? 0 : k - cols + 1, bottom = k < rows ? k : rows - 1;
        HEDDLE_EACH (i, bottom - top + 1)
            sweep_cell(x + (top + i) * app->stride + k - (top + i), app->stride);
        heddle_barrier(lane);
    }
}

HEDDLE_APP(heat, heat_record, HEAT_BODIES)
