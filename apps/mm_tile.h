/* SPDX-License-Identifier: MIT */
/* mm_tile.h - C = A B for a tile's columns of some products; for the bodies of mm and of mix. In the common part of C, C++ and
 * CUDA. A number of C is the sum from the first product of its row and column to the last, in any version.
 *
 * One thread adds multiples of rows of B: a loop along a row, which a compiler vectorizes. Many threads take C in squares of
 * MM_EDGE, of which each holds 4 x 8 numbers in registers at a time. MM_DEPTH columns of A, transposed, and rows of B pass
 * through block-shared memory, filled up with zeros, which change no sum. A thread's columns are two quads half a square apart, so
 * that eight neighbours read all banks once. */
#ifndef MM_TILE_H
#define MM_TILE_H

#include "mm_bodies.h"
#include "quad.h"

#define MM_HALF (MM_EDGE / 2)
#define MM_ACROSS 8 /* threads side by side over a square */

/* ---- one thread ---- */

TILE_FN void mm_row(const float *a, const float *b, float *c, int order, int cols)
{
    for (int j = 0; j < cols; j++)
        c[j] = 0.0f;
    for (int k = 0; k < order; k++) {
        const float x = a[k], *row = b + (uint64_t)k * (uint64_t)order;
        for (int j = 0; j < cols; j++)
            c[j] += x * row[j];
    }
}

TILE_FN void mm_alone(const mm_record *params, const tile_rect *t)
{
    const int order = (int)params->order;
    for (uint64_t r = t->row * params->order; r < (t->row + t->rows) * params->order; r++) {
        const uint64_t at = r * params->order, matrix = r / params->order * params->order * params->order;
        mm_row(params->a + at, params->b + matrix + t->col, params->c + at + t->col, order, (int)t->cols);
    }
}

/* ---- many threads ---- */

/* A square of C, or what there is of it. */
typedef struct mm_square {
    const float *a, *b; /* its rows, its columns */
    float *c;
    int order, rows, cols;
} mm_square;

TILE_FN void mm_stage(const heddle_thread *thread, const mm_square *s, float *a, float *b, int k)
{
    HEDDLE_EACH (i, MM_EDGE * MM_DEPTH) {
        const int row = i / MM_DEPTH, at = i % MM_DEPTH;
        a[at * MM_LD + row] = row < s->rows && k + at < s->order ? s->a[row * s->order + k + at] : 0.0f;
    }
    HEDDLE_EACH (i, MM_EDGE * MM_DEPTH) {
        const int col = i % MM_EDGE, at = i / MM_EDGE;
        b[i] = col < s->cols && k + at < s->order ? s->b[(k + at) * s->order + col] : 0.0f;
    }
}

/* a, b: where this thread's rows and columns begin. */
TILE_FN void mm_multiply(float sum[4][8], const float *a, const float *b)
{
    QUAD_UNROLL_4
    for (int k = 0; k < MM_DEPTH; k++) {
        const quad x = quad_load(a + k * MM_LD), low = quad_load(b + k * MM_EDGE),
                   high = quad_load(b + k * MM_EDGE + MM_HALF);
        QUAD_UNROLL
        for (int i = 0; i < 4; i++)
            QUAD_UNROLL
        for (int j = 0; j < 4; j++) {
            sum[i][j] += x.v[i] * low.v[j];
            sum[i][4 + j] += x.v[i] * high.v[j];
        }
    }
}

TILE_FN void mm_put(float *to, const float from[4], int n, int order)
{
    if (n >= 4 && order % 4 == 0 && (uintptr_t)to % 16u == 0) {
        quad_store(to, quad_of(from));
        return;
    }
    QUAD_UNROLL
    for (int j = 0; j < 4; j++)
        if (j < n)
            to[j] = from[j];
}

/* Four rows and eight columns of the square; all threads call it, those with `part` beyond the square only for their share of
 * the stages. */
TILE_FN void mm_part(const heddle_thread *thread, const mm_square *s, int part)
{
    float *a = quad_shared(thread), *b = a + MM_DEPTH * MM_LD, sum[4][8] = {{0.0f}};
    const int row = part / MM_ACROSS * 4, col = part % MM_ACROSS * 4;
    for (int k = 0; k < s->order; k += MM_DEPTH) {
        heddle_team_barrier(thread); /* nobody reads the stage before */
        mm_stage(thread, s, a, b, k);
        heddle_team_barrier(thread);
        if (row < s->rows)
            mm_multiply(sum, a + row, b + col);
    }
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        if (row + i < s->rows) {
            float *to = s->c + (row + i) * s->order + col;
            mm_put(to, sum[i], s->cols - col, s->order);
            mm_put(to + MM_HALF, sum[i] + 4, s->cols - col - MM_HALF, s->order);
        }
}

TILE_FN void mm_together(const heddle_thread *thread, const mm_record *params, const tile_rect *t)
{
    const uint64_t n = params->order;
    for (uint64_t p = t->row; p < t->row + t->rows; p++)
        for (uint64_t r = 0; r < n; r += MM_EDGE)
            for (uint64_t c = t->col; c < t->col + t->cols; c += MM_EDGE) {
                const uint64_t rows = n - r, cols = t->col + t->cols - c;
                mm_square s;
                s.a = params->a + (p * n + r) * n;
                s.b = params->b + p * n * n + c;
                s.c = params->c + (p * n + r) * n + c;
                s.order = (int)n;
                s.rows = rows < MM_EDGE ? (int)rows : MM_EDGE;
                s.cols = cols < MM_EDGE ? (int)cols : MM_EDGE;
                for (int part = 0; part < (s.rows + 3) / 4 * MM_ACROSS; part += (int)thread->team_size)
                    mm_part(thread, &s, part + (int)thread->index);
            }
}

TILE_FN void mm_tile(const heddle_thread *thread, const mm_record *params, const tile_rect *t)
{
#if !defined(__CUDA_ARCH__)
    if (thread->team_size == 1) {
        mm_alone(params, t);
        return;
    }
#endif
    mm_together(thread, params, t);
}

#endif
