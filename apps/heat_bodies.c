/* SPDX-License-Identifier: MIT */
/* heat_bodies.c - one sweep over one tile: each cell becomes the mean of its four neighbours, of which those above and
 * to the left are new already.
 *
 * Row by row a cell waits for its left neighbour: an add and a multiplication, one after the other, a cell. So one
 * lane takes SKEW rows at once, each a column behind the row above it: as many independent chains, and what a row needs
 * from the row above is still in a register. Many lanes do the same with all rows of the tile: one anti-diagonal at a
 * time, with a barrier after each. Every way computes a cell by the same expression from the same values.
 *
 * Tuned version: the tile comes into shared memory; a warp sweeps it, and all lanes take it back. A lane of that warp
 * has a strip of k neighbouring columns and goes down the rows, one a step, a row behind the lane before it, of which it
 * takes the left neighbour with a shuffle: so no barrier stands between diagonals. A tile that is too large for that is
 * gone through in parts. */
#include "heat_bodies.h"
#include "quad.h"
#include "warp.h"

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

/* ---- tuned ---- */

typedef struct strip {
    const float *x; /* the tile in shared memory: its first cell */
    int ld, rows;
    int row, col; /* where the lane is, and its first column */
    float above[4], row_0[5], row_1[5];
} strip;

/* A row of the strip and the cell to the right of it. Rows that are not there are others. */
TILE_FN void strip_load(const strip *s, float *to, int row, int k)
{
    const float *x = s->x + (row < -1 ? -1 : row > s->rows ? s->rows : row) * s->ld + s->col;
    QUAD_UNROLL
    for (int c = 0; c <= k; c++)
        to[c] = x[c];
}

/* One row, from the cell to its left: to[] is what it becomes. */
TILE_FN void strip_mean(const strip *s, float *to, float left, int k)
{
    QUAD_UNROLL
    for (int c = 0; c < k; c++)
        to[c] = left = mean(s->above[c], s->row_1[c], s->row_0[c + 1], left);
}

/* To the next row; above it is what this one has become, or what it was if it is none of the tile's. */
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

/* The steps of a warp: rows, and a delay for each lane that has a strip but the first. */
TILE_FN int strip_steps(int rows, int cols, int k) { return rows + (cols + k - 1) / k - 1; }

/* k: a constant. The row of the next step but one comes in this one. */
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

/* The tile and what is around it, to shared memory; cells lo .. hi - 1 of a quad. */
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

/* Part by part in row-major order: each is after those above and to the left, and before the others beside it. */
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
