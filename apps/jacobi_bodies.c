/* SPDX-License-Identifier: MIT */
/* jacobi_bodies.c - compute: next becomes the mean of the four neighbours in old; copy: old becomes next. Cells are
 * independent, so there is no barrier. All versions compute a cell by the same expression.
 *
 * Tuned version: a thread takes four neighbouring cells of several rows, one below the other, and issues all its loads
 * before it uses any. The quads are aligned where rows are a multiple of four cells apart; elsewhere the portable
 * version runs. */
#include "jacobi_bodies.h"
#include "quad.h"

#define ROWS 4

TILE_FN float mean(float above, float below, float right, float left) { return 0.25f * (above + below + right + left); }

TILE_FN void compute(const jacobi_record *params, const tile_rect *t, tile_share s)
{
    int64_t stride = params->stride;
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint64_t at = tile_row(t, (uint64_t)stride, r);
        const float *x = params->old + at;
        float *y = params->next + at;
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            y[c] = mean(x[c - stride], x[c + stride], x[c + 1], x[c - 1]);
    }
}

TILE_FN void copy(const jacobi_record *params, const tile_rect *t, tile_share s)
{
    for (int r = s.row; r < (int)t->rows; r += s.row_step) {
        uint64_t at = tile_row(t, (uint64_t)params->stride, r);
        const float *from = params->next + at;
        float *to = params->old + at;
        for (int c = s.col; c < (int)t->cols; c += s.col_step)
            to[c] = from[c];
    }
}

/* Cells lo .. hi - 1 of the quads at x, in n rows. */
TILE_FN void compute_quads(const float *x, float *y, int64_t stride, int lo, int hi, int n)
{
    quad row[ROWS + 2] = {{{0}}}; /* from the row above on */
    float left[ROWS] = {0}, right[ROWS] = {0};
    QUAD_UNROLL
    for (int i = 0; i < ROWS + 2; i++)
        if (i < n + 2)
            row[i] = quad_load_part(x + (i - 1) * stride, lo, hi);
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++)
        if (i < n) {
            left[i] = x[i * stride + lo - 1];
            right[i] = x[i * stride + hi];
        }
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++) {
        const float *v = row[i + 1].v;
        quad q;
        QUAD_UNROLL
        for (int c = 0; c < 4; c++)
            q.v[c] = mean(row[i].v[c], row[i + 2].v[c], c < 3 && c < hi - 1 ? v[c + (c < 3)] : right[i],
                          c > lo ? v[c - (c > 0)] : left[i]);
        if (i < n)
            quad_store_part(y + i * stride, q, lo, hi);
    }
}

TILE_FN void copy_quads(const float *x, float *y, int64_t stride, int lo, int hi, int n)
{
    quad row[ROWS] = {{{0}}};
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++)
        if (i < n)
            row[i] = quad_load_part(x + i * stride, lo, hi);
    QUAD_UNROLL
    for (int i = 0; i < ROWS; i++)
        if (i < n)
            quad_store_part(y + i * stride, row[i], lo, hi);
}

/* Distributes the quads of a tile: neighbouring threads take neighbouring quads. */
typedef void (*quads_fn)(const float *x, float *y, int64_t stride, int lo, int hi, int n);
TILE_FN void each_quads(const heddle_thread *thread, const float *from, float *to, int64_t stride, const tile_rect *t,
                        quads_fn fn)
{
    const quad_span span = quads_of(t);
    const int rows = (int)t->rows, n = (rows + ROWS - 1) / ROWS * span.n;
    HEDDLE_EACH (i, n) {
        const int q = i % span.n, r = i / span.n * ROWS, left = rows - r;
        const int lo = quad_lo(&span, q), hi = quad_hi(&span, q);
        const uint64_t at = tile_row(t, (uint64_t)stride, r) - (uint64_t)span.lo + (uint64_t)(4 * q);
        if (hi - lo == 4 && left >= ROWS) /* nearly always: constants, so no branches between loads */
            fn(from + at, to + at, stride, 0, 4, ROWS);
        else
            fn(from + at, to + at, stride, lo, hi, left < ROWS ? left : ROWS);
    }
}

TILE_FN int is_tuned(const heddle_thread *thread, const jacobi_record *params)
{
    return params->tuned && thread->team_size > 1 && params->stride % 4 == 0;
}

HEDDLE_BODY(jacobi_compute, jacobi_record, params, tile_rect, t)
{
    if (thread->team_size == 1)
        compute(params, t, tile_alone());
    else if (is_tuned(thread, params))
        each_quads(thread, params->old, params->next, params->stride, t, compute_quads);
    else
        compute(params, t, tile_share_of(thread));
}

HEDDLE_BODY(jacobi_copy, jacobi_record, params, tile_rect, t)
{
    if (thread->team_size == 1)
        copy(params, t, tile_alone());
    else if (is_tuned(thread, params))
        each_quads(thread, params->next, params->old, params->stride, t, copy_quads);
    else
        copy(params, t, tile_share_of(thread));
}

HEDDLE_TABLE(jacobi, jacobi_record, JACOBI_BODIES)
