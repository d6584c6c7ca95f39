/* SPDX-License-Identifier: MIT */
/* heat_bodies.c - one sweep over one tile: each cell becomes the mean of its four neighbours; the upper and the left
 * one are new already.
 *
 * Row by row, each cell waits for its left neighbour: a chain of an add and a multiplication per cell. So one lane
 * takes SKEW rows at once, each a column behind the row above it: SKEW independent chains, and what a row needs from
 * the row above is still in a register. Many lanes do the same with all rows of the tile: one anti-diagonal at a time,
 * with a barrier after each. All versions compute a cell by the same expression from the same values.
 *
 * Tuned version: the block loads the tile into shared memory, one warp sweeps it, and all lanes store it back. A lane
 * of that warp has a strip of k neighbouring columns and goes down the rows, one per step. It is a row behind the lane
 * before it and gets its left neighbour from that lane by a shuffle, so no barrier separates diagonals. A tile too
 * large for shared memory is swept in parts. */
#include "heat_bodies.h"
#include "quad.h"
#include "warp.h"

#define SKEW 8

TILE_FN float mean(float above, float below, float right, float left) { return 0.25f * (above + below + right + left); }

TILE_FN void sweep_cell(float *x, int64_t stride) { *x = mean(x[-stride], x[stride], x[1], x[-1]); }

/* Columns begin to end - 1 of one row. */
TILE_FN void sweep_row(float *x, int64_t stride, int begin, int end)
{
    float left = x[begin - 1];
    for (int c = begin; c < end; c++)
        x[c] = left = mean(x[c - stride], x[c + stride], x[c + 1], left);
}

/* SKEW rows from x on: a triangle, then all rows in step, then the remaining triangle. In step k row i is at column k -
 * i, and last[i] is its newest cell. Its left neighbour is last[i] of the step before, the one above is last[i - 1],
 * the one below is the right neighbour of row i + 1. */
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

/* ---- tuned ---- */

typedef struct strip {
    const float *x; /* first cell of the tile in shared memory */
    int ld, rows;
    int row, col; /* the lane's row, and its first column */
    float above[4], row_0[5], row_1[5];
} strip;

/* Loads a row of the strip and the cell to its right. Rows outside the tile are clamped; their values are not used. */
TILE_FN void strip_load(const strip *s, float *to, int row, int k)
{
    const float *x = s->x + (row < -1 ? -1 : row > s->rows ? s->rows : row) * s->ld + s->col;
    QUAD_UNROLL
    for (int c = 0; c <= k; c++)
        to[c] = x[c];
}

/* Computes one row into to[], from the cell to its left. */
TILE_FN void strip_mean(const strip *s, float *to, float left, int k)
{
    QUAD_UNROLL
    for (int c = 0; c < k; c++)
        to[c] = left = mean(s->above[c], s->row_1[c], s->row_0[c + 1], left);
}

/* Advances to the next row. The row above it is this one's new values, or the old ones if this row is not in the tile. */
TILE_FN void strip_next(strip *s, const float *now, const float *next, int is_there, int k)
{
    QUAD_UNROLL
    for (int c = 0; c <= k; c++) {
        if (c < k)
            s->above[c] = is_there ? now[c] : s->row_0[c];
        s->row_0[c] = s->row_1[c];
        s->row_1[c] = next[c];
    }
    s->row++;
}

/* Steps of a warp: the rows, and a delay of one per strip after the first. */
TILE_FN int strip_steps(int rows, int cols, int k) { return rows + (cols + k - 1) / k - 1; }

/* k: a constant. Each step loads the row needed two steps later. */
TILE_FN void sweep_strips(warp *w, float *x, int ld, int rows, int cols, int k)
{
    const int at = (int)w->at, col = at * k < cols ? at * k : cols, n = cols - col < k ? cols - col : k;
    const int n_steps = strip_steps(rows, cols, k);
    strip s = {x, ld, rows, -at, col, {0}, {0}, {0}};
    float right = 0, edge = x[-1];
    strip_load(&s, s.above, s.row - 1, k - 1);
    strip_load(&s, s.row_0, s.row, k);
    strip_load(&s, s.row_1, s.row + 1, k);
    for (int step = 0; step < n_steps; step++) {
        const float before = warp_before_f32(w, right), left = at ? before : edge;
        const int is_there = s.row >= 0 && s.row < rows;
        float now[4], next[5];
        strip_load(&s, next, s.row + 2, k);
        if (at == 0 && step + 1 < rows)
            edge = x[(step + 1) * ld - 1];
        strip_mean(&s, now, left, k);
        right = now[k - 1];
        QUAD_UNROLL
        for (int c = 0; c < k; c++)
            if (is_there && c < n)
                x[s.row * ld + col + c] = now[c];
        strip_next(&s, now, next, is_there, k);
    }
}

/* Copies the tile and the cells around it to shared memory; cells lo .. hi - 1 of a quad. */
TILE_FN void bring_quad(float *to, const float *from, int lo, int hi, int aligned)
{
    if (aligned && hi - lo == 4)
        quad_send(to, from);
    else
        for (int c = lo; c < hi; c++)
            quad_send_1(to + c, from + c);
}

TILE_FN void bring(const heddle_thread *thread, float *to, int ld, const float *from, int64_t stride,
                   const tile_rect *t)
{
    const quad_span span = quads_of(t);
    const int rows = (int)t->rows, cols = (int)t->cols, aligned = stride % 4 == 0;
    HEDDLE_EACH (i, (rows + 2) * span.n) {
        const int r = i / span.n - 1, q = i % span.n, c = 4 * q - span.lo;
        bring_quad(to + r * ld + c, from + r * stride + c, quad_lo(&span, q), quad_hi(&span, q), aligned);
    }
    HEDDLE_EACH (i, 2 * rows) {
        const int r = i / 2, c = i % 2 ? cols : -1;
        quad_send_1(to + r * ld + c, from + r * stride + c);
    }
    quad_arrived();
}

TILE_FN void take_back(const heddle_thread *thread, float *to, int64_t stride, const float *from, int ld,
                       const tile_rect *t)
{
    const quad_span span = quads_of(t);
    HEDDLE_EACH (i, (int)t->rows * span.n) {
        const int r = i / span.n, q = i % span.n, c = 4 * q - span.lo, lo = quad_lo(&span, q), hi = quad_hi(&span, q);
        if (stride % 4 == 0)
            quad_store_part(to + r * stride + c, quad_load(from + r * ld + c), lo, hi);
        else
            for (int e = lo; e < hi; e++)
                to[r * stride + c + e] = from[r * ld + c + e];
    }
}

TILE_FN void sweep_tuned(const heddle_thread *thread, float *x, int64_t stride, const tile_rect *t)
{
    const int rows = (int)t->rows, cols = (int)t->cols, k = cols <= 32 ? 1 : cols <= 64 ? 2 : 4, ld = HEAT_LD(cols);
    float *tile = quad_shared(thread) + ld + 4 + (t->col & 3u); /* aligned as the cells are */
    warp w = warp_of(thread);
    bring(thread, tile, ld, x, stride, t);
    heddle_team_barrier(thread);
    if (w.id > 0)
        warp_skip(&w, strip_steps(rows, cols, k));
    else if (k == 1)
        sweep_strips(&w, tile, ld, rows, cols, 1);
    else if (k == 2)
        sweep_strips(&w, tile, ld, rows, cols, 2);
    else
        sweep_strips(&w, tile, ld, rows, cols, 4);
    heddle_team_barrier(thread);
    take_back(thread, x, stride, tile, ld, t);
}

/* The parts in row-major order: each after those above and to the left, and before those below and to the right. */
TILE_FN void sweep_parts(const heddle_thread *thread, const heat_record *params, const tile_rect *t)
{
    for (uint32_t r = 0; r < t->rows; r += params->tuned)
        for (uint32_t c = 0; c < t->cols; c += HEAT_PART_COLS) {
            tile_rect part = {t->row + r, t->col + c, t->rows - r, t->cols - c};
            part.rows = part.rows < params->tuned ? part.rows : params->tuned;
            part.cols = part.cols < HEAT_PART_COLS ? part.cols : HEAT_PART_COLS;
            if (r + c > 0)
                heddle_team_barrier(thread);
            sweep_tuned(thread, params->x + tile_row(&part, (uint64_t)params->stride, 0), params->stride, &part);
        }
}

HEDDLE_BODY(heat_sweep, heat_record, params, tile_rect, t)
{
    float *x = params->x + tile_row(t, (uint64_t)params->stride, 0);
    int rows = (int)t->rows, cols = (int)t->cols;
    if (thread->team_size == 1) {
        sweep_alone(x, params->stride, rows, cols);
        return;
    }
    if (params->tuned && warp_fits(thread, 32)) {
        sweep_parts(thread, params, t);
        return;
    }
    for (int k = 0; k < rows + cols - 1; k++) {
        int top = k < cols ? 0 : k - cols + 1, bottom = k < rows ? k : rows - 1;
        HEDDLE_EACH (i, bottom - top + 1)
            sweep_cell(x + (top + i) * params->stride + k - (top + i), params->stride);
        heddle_team_barrier(thread);
    }
}

HEDDLE_TABLE(heat, heat_record, HEAT_BODIES)
