/* SPDX-License-Identifier: MIT */
/* lu_tuned.h - the bodies of lu for thread blocks of 128 to 256 lanes and blocks with an edge of a multiple of 16
 * numbers. In the common part of C, C++ and CUDA, so that an emulated block runs the same lines.
 *
 * Nearly all of the work is lu_product: a tile of C stays in registers, 4 x 8 numbers per lane. Meanwhile 16 columns of
 * A and rows of B at a time pass through shared memory, with later ones in flight. The solvers and the decomposition,
 * on which all other tasks wait, go by panels of LU_EDGE: earlier panels contribute a product; within a panel, triangle
 * and X stand in shared memory. Four lanes solve a system, a column of X (forward) or a row (backward): each has four
 * of every 16 unknowns, and gets the others' by shuffles. The decomposition takes 16 columns at a time; each of its
 * warps holds the 16 rows of the pivots and 16 more rows, so no barrier separates pivots. */
#ifndef LU_TUNED_H
#define LU_TUNED_H

#include "lu_bodies.h"
#include "quad.h"
#include "warp.h"

#define LU_K 16                          /* columns of A in shared memory; all sizes are multiples of it */
#define LU_EDGE 64                       /* of a panel, and columns of a tile of C */
#define LU_STRIP 128                     /* systems solved at a time */
#define LU_A_LD (LU_MAX_THREADS / 2 + 4) /* row distances in shared memory: of A, transposed; */
#define LU_LD (LU_EDGE + 4)              /* of a triangle; of systems */
#define LU_STAGE (LU_K * (LU_A_LD + LU_EDGE))
#define LU_N_STAGES 4
#define LU_SPLIT 4 /* lanes of a system, and consecutive unknowns that a lane solves */
#define LU_AT_ONCE 2

TILE_FN int lu_is_tuned(const heddle_thread *thread, const lu_record *params)
{
    return params->tuned && thread->team_size >= LU_MIN_THREADS && warp_fits(thread, LU_MAX_THREADS / TILE_WARP);
}

TILE_FN int lu_least(int a, int b) { return a < b ? a : b; }

/* ---- product ---- */

/* Starts copies of 16 columns of A, transposed, and 16 rows of B into shared memory. */
TILE_FN void lu_send(const heddle_thread *thread, float *stage, const float *a, const float *b, int ld, int rows,
                     int cols)
{
    const int me = quad_anew(thread->index), at = me % 16, step = (int)thread->team_size / 16;
    for (int r = me / 16; r < rows; r += step)
        quad_send_1(stage + at * LU_A_LD + r, a + r * ld + at);
    if (at * 4 < cols)
        for (int k = me / 16; k < LU_K; k += step)
            quad_send(stage + LU_K * LU_A_LD + k * LU_EDGE + at * 4, b + k * ld + at * 4);
}

/* c: 4 rows, and 4 columns in each half of the tile, or in one half only. n_halves is a constant. */
TILE_FN void lu_multiply(float c[4][8], const float *a, const float *b, int n_halves)
{
    QUAD_UNROLL_4
    for (int k = 0; k < LU_K; k++) {
        quad l = quad_load(a + k * LU_A_LD), u[2];
        QUAD_UNROLL
        for (int h = 0; h < n_halves; h++)
            u[h] = quad_load(b + k * LU_EDGE + h * (LU_EDGE / 2));
        QUAD_UNROLL
        for (int i = 0; i < 4; i++)
            QUAD_UNROLL
        for (int j = 0; j < 4 * n_halves; j++)
            c[i][j] -= l.v[i] * u[j / 4].v[j % 4];
    }
}

/* Sends stage k / LU_K, or an empty one: stages are counted. */
TILE_FN void lu_send_stage(const heddle_thread *thread, const float *a, const float *b, int ld, int rows, int cols,
                           int k, int n)
{
    float *stage = quad_shared(thread) + k / LU_K % LU_N_STAGES * LU_STAGE;
    if (k < n)
        lu_send(thread, stage, a + k, b + k * ld, ld, rows, cols);
    quad_sent();
}

/* C -= A B for a tile of C: at most thread->team_size / 2 rows and LU_EDGE columns. Eight lanes stand side by side. */
TILE_FN void lu_product_tile(const heddle_thread *thread, float *c, const float *a, const float *b, int ld, int rows,
                             int cols, int n)
{
    float x[4][8];
    const int me = quad_anew(thread->index), row = me / 8 * 4, col = me % 8 * 4;
    c += row * ld + col;
    for (int k = 0; k < (LU_N_STAGES - 1) * LU_K; k += LU_K)
        lu_send_stage(thread, a, b, ld, rows, cols, k, n);
    QUAD_UNROLL
    for (int i = 0; i < 8; i++) {
        const int there = row < rows && col + i % 2 * (LU_EDGE / 2) < cols;
        quad q = {{0, 0, 0, 0}};
        if (there)
            q = quad_load(c + i / 2 * ld + i % 2 * (LU_EDGE / 2));
        QUAD_UNROLL
        for (int j = 0; j < 4; j++)
            x[i / 2][i % 2 * 4 + j] = q.v[j];
    }
    for (int k = 0; k < n; k += LU_K) {
        const float *now = quad_shared(thread) + k / LU_K % LU_N_STAGES * LU_STAGE;
        quad_arrived_but_2();
        heddle_team_barrier(thread); /* this stage has arrived, and no lane reads the one before any more */
        lu_send_stage(thread, a, b, ld, rows, cols, k + (LU_N_STAGES - 1) * LU_K, n);
        if (row < rows && cols > LU_EDGE / 2)
            lu_multiply(x, now + row, now + LU_K * LU_A_LD + col, 2);
        else if (row < rows)
            lu_multiply(x, now + row, now + LU_K * LU_A_LD + col, 1);
    }
    heddle_team_barrier(thread);
    QUAD_UNROLL
    for (int i = 0; i < 8; i++) {
        quad q;
        QUAD_UNROLL
        for (int j = 0; j < 4; j++)
            q.v[j] = x[i / 2][i % 2 * 4 + j];
        if (row < rows && col + i % 2 * (LU_EDGE / 2) < cols)
            quad_store(c + i / 2 * ld + i % 2 * (LU_EDGE / 2), q);
    }
}

/* C -= A B, C of rows x cols, n columns in A; rows of all are ld apart. Other lanes see C after the next barrier. */
QUAD_APART void lu_product(const heddle_thread *thread, float *c, const float *a, const float *b, int ld, int rows,
                           int cols, int n)
{
    const int height = (int)thread->team_size / 2;
    for (int i = 0; i < rows; i += height)
        for (int j = 0; j < cols; j += LU_EDGE)
            lu_product_tile(thread, c + i * ld + j, a + i * ld, b + j, ld, lu_least(height, rows - i),
                            lu_least(LU_EDGE, cols - j), n);
}

/* ---- between memory and shared memory ---- */

/* Quad f of a rectangle: a warp takes eight rows of four quads, which suits both access by rows and by columns. */
typedef struct lu_spot {
    int row, col;
} lu_spot;

TILE_FN lu_spot lu_spot_of(int f, int cols)
{
    lu_spot s;
    int across = cols / 16, group = f / 32;
    s.row = group / across * 8 + f % 32 / 4;
    s.col = group % across * 16 + f % 4 * 4;
    return s;
}

/* Copies rows x cols numbers of x to shared memory, transposed there if `turned`. */
TILE_FN void lu_bring(const heddle_thread *thread, float *to, int to_ld, const float *x, int ld, int rows, int cols,
                      int turned)
{
    const int n = rows * cols / 4, step = (int)thread->team_size;
    for (int f = quad_anew(thread->index); f < n; f += QUADS_AT_ONCE * step) {
        quad q[QUADS_AT_ONCE] = {{{0}}};
        QUAD_UNROLL
        for (int i = 0; i < QUADS_AT_ONCE; i++) {
            lu_spot s = lu_spot_of(f + i * step, cols);
            if (f + i * step < n)
                q[i] = quad_load(x + s.row * ld + s.col);
        }
        QUAD_UNROLL
        for (int i = 0; i < QUADS_AT_ONCE && f + i * step < n; i++) {
            lu_spot s = lu_spot_of(f + i * step, cols);
            if (!turned)
                quad_store(to + s.row * to_ld + s.col, q[i]);
            for (int j = 0; turned && j < 4; j++)
                to[(s.col + j) * to_ld + s.row] = q[i].v[j];
        }
    }
}

TILE_FN void lu_take_back(const heddle_thread *thread, float *x, int ld, const float *from, int from_ld, int rows,
                          int cols, int turned)
{
    for (int f = quad_anew(thread->index); f < rows * cols / 4; f += (int)thread->team_size) {
        lu_spot s = lu_spot_of(f, cols);
        quad q;
        if (!turned)
            q = quad_load(from + s.row * from_ld + s.col);
        for (int j = 0; turned && j < 4; j++)
            q.v[j] = from[(s.col + j) * from_ld + s.row];
        quad_store(x + s.row * ld + s.col, q);
    }
}

/* ---- solvers ---- */

/* x / p, bitwise, where inverse is 1 / p: only three steps remain once x is known. Markstein: with a correctly rounded
 * inverse, and a quotient off by at most one unit in the last place, the last step is exact, except for extreme
 * exponents. */
TILE_FN int lu_is_moderate(float x)
{
    const float size = x < 0 ? -x : x;
    return size > 0x1p-60f && size < 0x1p60f;
}
TILE_FN float lu_fma(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}
TILE_FN float lu_quotient(float x, float p, float inverse)
{
    float q = x * inverse;
    q = lu_fma(lu_fma(-p, q, x), inverse, q);
    q = lu_fma(lu_fma(-p, q, x), inverse, q);
    return lu_is_moderate(x) && lu_is_moderate(p) ? q : x / p;
}

/* Solves four unknowns by their own triangle. Row k has the factors of unknown k in later ones, and on the diagonal its
 * divisor, if `divide`. */
TILE_FN quad lu_solve_4(quad x, const quad row[LU_SPLIT], const float inverse[LU_SPLIT], int divide)
{
    QUAD_UNROLL
    for (int k = 0; k < LU_SPLIT; k++) {
        if (divide)
            x.v[k] = lu_quotient(x.v[k], row[k].v[k], inverse[k]);
        QUAD_UNROLL
        for (int j = k + 1; j < LU_SPLIT; j++)
            x.v[j] -= row[k].v[j] * x.v[k];
    }
    return x;
}

/* Subtracts from this lane's four numbers the contributions of four known unknowns, by rows of t. */
TILE_FN quad lu_subtract_4(quad x, const float *t, quad known)
{
    QUAD_UNROLL
    for (int k = 0; k < LU_SPLIT; k++) {
        const quad row = quad_load(t + k * LU_LD);
        QUAD_UNROLL
        for (int j = 0; j < 4; j++)
            x.v[j] -= row.v[j] * known.v[k];
    }
    return x;
}

/* LU_K unknowns from number `at` on, of LU_AT_ONCE systems; the earlier ones are known. */
TILE_FN void lu_solve_some(warp *w, const float *t, float *const system[LU_AT_ONCE], int at, int divide)
{
    const int part = (int)w->at % LU_SPLIT, mine = at + LU_SPLIT * part;
    float inverse[LU_SPLIT];
    quad x[LU_AT_ONCE], row[LU_SPLIT];
    QUAD_UNROLL
    for (int i = 0; i < LU_AT_ONCE; i++)
        x[i] = quad_load(system[i] + mine);
    for (int k = 0; k < at; k += LU_SPLIT)
        QUAD_UNROLL
    for (int i = 0; i < LU_AT_ONCE; i++)
        x[i] = lu_subtract_4(x[i], t + k * LU_LD + mine, quad_load(system[i] + k));
    QUAD_UNROLL
    for (int k = 0; k < LU_SPLIT; k++) {
        row[k] = quad_load(t + (mine + k) * LU_LD + mine);
        inverse[k] = divide ? 1.0f / row[k].v[k] : 1.0f;
    }
    QUAD_UNROLL
    for (int p = 0; p < LU_K / LU_SPLIT; p++)
        QUAD_UNROLL
    for (int i = 0; i < LU_AT_ONCE; i++) {
        quad known;
        if (part == p)
            x[i] = lu_solve_4(x[i], row, inverse, divide);
        QUAD_UNROLL
        for (int j = 0; j < LU_SPLIT; j++)
            known.v[j] = warp_from_f32(w, x[i].v[j], w->at - (uint32_t)part + (uint32_t)p);
        if (part > p)
            x[i] = lu_subtract_4(x[i], t + (at + LU_SPLIT * p) * LU_LD + mine, known);
    }
    QUAD_UNROLL
    for (int i = 0; i < LU_AT_ONCE; i++)
        quad_store(system[i] + mine, x[i]);
    warp_meet(w);
}
#define LU_SOLVE_STEPS (LU_K * LU_AT_ONCE + 1)

/* n unknowns of `width` systems in shared memory. Warps take neighbouring systems; the one before stands in for a
 * missing system. */
TILE_FN void lu_solve(const heddle_thread *thread, const float *t, float *systems, int n, int width, int divide)
{
    const int me = quad_anew(thread->index), step = (int)thread->team_size / LU_SPLIT;
    warp w = warp_of(thread);
    for (int at = me / LU_SPLIT; at - me / LU_SPLIT < width; at += LU_AT_ONCE * step) {
        float *system[LU_AT_ONCE];
        system[0] = systems + at * LU_LD;
        QUAD_UNROLL
        for (int i = 1; i < LU_AT_ONCE; i++)
            system[i] = at + i * step < width ? systems + (at + i * step) * LU_LD : system[i - 1];
        for (int k = 0; at < width && k < n; k += LU_K)
            lu_solve_some(&w, t, system, k, divide);
        if (at >= width)
            warp_skip(&w, n / LU_K * LU_SOLVE_STEPS);
    }
}

/* A strip of X, n unknowns in each of `width` systems, by the triangle in shared memory. turned: systems are rows of X,
 * and unknowns are divided by the diagonal. */
TILE_FN void lu_solve_strip(const heddle_thread *thread, float *x, int ld, int n, int width, int turned)
{
    float *t = quad_shared(thread), *strip = t + LU_EDGE * LU_LD;
    lu_bring(thread, strip, LU_LD, x, ld, turned ? width : n, turned ? n : width, !turned);
    heddle_team_barrier(thread);
    lu_solve(thread, t, strip, n, width, turned);
    heddle_team_barrier(thread);
    lu_take_back(thread, x, ld, strip, LU_LD, turned ? width : n, turned ? n : width, !turned);
    heddle_team_barrier(thread);
}

/* L X = A: l has n rows, x has n rows and `cols` columns. */
QUAD_APART void lu_forward(const heddle_thread *thread, const float *l, float *x, int ld, int n, int cols)
{
    for (int p = 0; p < n; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, n - p);
        if (p) {
            lu_product(thread, x + p * ld, l + p * ld, x, ld, edge, cols, p);
            heddle_team_barrier(thread);
        }
        lu_bring(thread, quad_shared(thread), LU_LD, l + p * ld + p, ld, edge, edge, 1);
        for (int j = 0; j < cols; j += LU_STRIP)
            lu_solve_strip(thread, x + p * ld + j, ld, edge, lu_least(LU_STRIP, cols - j), 0);
    }
}

/* X U = A: u has n columns, x has n columns and `rows` rows. */
QUAD_APART void lu_backward(const heddle_thread *thread, const float *u, float *x, int ld, int n, int rows)
{
    for (int p = 0; p < n; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, n - p);
        if (p) {
            lu_product(thread, x + p, x, u + p, ld, rows, edge, p);
            heddle_team_barrier(thread);
        }
        lu_bring(thread, quad_shared(thread), LU_LD, u + p * ld + p, ld, edge, edge, 0);
        for (int i = 0; i < rows; i += LU_STRIP)
            lu_solve_strip(thread, x + i * ld + p, ld, edge, lu_least(LU_STRIP, rows - i), 1);
    }
}

/* ---- decomposition ---- */

/* LU_K columns; lane i has row i, lanes from LU_K on have rows below. Returns the index of the first bad pivot + 1, or 0. */
TILE_FN int lu_eliminate_rows(warp *w, float x[LU_K])
{
    int bad = 0;
    QUAD_UNROLL
    for (int k = 0; k < LU_K; k++) {
        float up[LU_K], l;
        const int below = (int)w->at > k;
        QUAD_UNROLL
        for (int j = k; j < LU_K; j++)
            up[j] = warp_from_f32(w, x[j], (uint32_t)k); /* before the division: its branches delay what follows */
        if (!bad && !(up[k] < 0 || up[k] > 0))
            bad = k + 1;
        l = x[k] / up[k];
        QUAD_UNROLL
        for (int j = k + 1; j < LU_K; j++)
            x[j] = below ? x[j] - l * up[j] : x[j];
        x[k] = below ? l : x[k];
    }
    return bad;
}
#define LU_ELIMINATE_STEPS (LU_K * (LU_K + 1) / 2)

/* LU_K columns of the n x n matrix s in shared memory, from column c on, rows c and below. Every warp does the first
 * LU_K rows; the first warp stores them. Returns the index of the first bad pivot + 1, or 0, on all lanes. */
TILE_FN int lu_eliminate(const heddle_thread *thread, float *s, int c, int n)
{
    int *verdict = (int *)(void *)(s + LU_EDGE * LU_LD), bad;
    warp w = warp_of(thread);
    const int at = (int)w.at, row = c + at + (at < LU_K ? 0 : LU_K * (int)w.id), there = row < n;
    float *from = s + (there ? row : n - 1) * LU_LD + c, x[LU_K];
    QUAD_UNROLL
    for (int j = 0; j < LU_K; j += 4)
        quad_get(x + j, quad_load(from + j));
    heddle_team_barrier(thread); /* all have read the first rows */
    if (w.id == 0 || c + LU_K * ((int)w.id + 1) < n) {
        bad = lu_eliminate_rows(&w, x);
        QUAD_UNROLL
        for (int j = 0; j < LU_K; j += 4)
            if (there && (at >= LU_K || w.id == 0))
                quad_store(from + j, quad_of(x + j));
        if (thread->index == 0)
            *verdict = bad ? c + bad : 0;
    } else {
        warp_skip(&w, LU_ELIMINATE_STEPS);
    }
    heddle_team_barrier(thread);
    return *verdict;
}

/* The same rows of U to the right of those columns; each lane takes columns. */
TILE_FN void lu_right(const heddle_thread *thread, float *s, int c, int n)
{
    const float *l = s + c * LU_LD + c;
    for (int j = quad_anew(thread->index); j < n - c - LU_K; j += (int)thread->team_size) {
        float *x = s + c * LU_LD + c + LU_K + j, y[LU_K];
        QUAD_UNROLL
        for (int i = 0; i < LU_K; i++)
            y[i] = x[i * LU_LD];
        QUAD_UNROLL
        for (int k = 0; k < LU_K; k += 4)
            QUAD_UNROLL
        for (int i = k + 1; i < LU_K; i++) {
            const quad q = quad_load(l + i * LU_LD + k);
            QUAD_UNROLL
            for (int e = 0; e < 4 && k + e < i; e++)
                y[i] -= q.v[e] * y[k + e];
        }
        QUAD_UNROLL
        for (int i = 1; i < LU_K; i++)
            x[i * LU_LD] = y[i];
    }
    heddle_team_barrier(thread);
}

/* Subtracts the product of those columns and rows from 2 x 4 numbers at (r, j). */
TILE_FN void lu_subtract_16(float *s, int c, int r, int j)
{
    quad x[2], l[2];
    QUAD_UNROLL
    for (int i = 0; i < 2; i++)
        x[i] = quad_load(s + (r + i) * LU_LD + j);
    QUAD_UNROLL
    for (int k = 0; k < LU_K; k++) {
        const quad u = quad_load(s + (c + k) * LU_LD + j);
        QUAD_UNROLL
        for (int i = 0; i < 2; i++) {
            if (k % 4 == 0)
                l[i] = quad_load(s + (r + i) * LU_LD + c + k);
            QUAD_UNROLL
            for (int e = 0; e < 4; e++)
                x[i].v[e] -= l[i].v[k % 4] * u.v[e];
        }
    }
    QUAD_UNROLL
    for (int i = 0; i < 2; i++)
        quad_store(s + (r + i) * LU_LD + j, x[i]);
}

TILE_FN void lu_rest(const heddle_thread *thread, float *s, int c, int n)
{
    const int first = c + LU_K, across = (n - first) / 4;
    for (int f = quad_anew(thread->index); f < 2 * across * across; f += (int)thread->team_size)
        lu_subtract_16(s, c, first + f / across * 2, first + f % across * 4);
    heddle_team_barrier(thread);
}

/* n x n numbers of a, n up to LU_EDGE. Returns the index of the first bad pivot + 1, or 0. */
QUAD_APART int lu_decompose_panel(const heddle_thread *thread, float *a, int ld, int n)
{
    float *s = quad_shared(thread);
    lu_bring(thread, s, LU_LD, a, ld, n, n, 0);
    heddle_team_barrier(thread);
    for (int c = 0; c < n; c += LU_K) {
        int bad = lu_eliminate(thread, s, c, n);
        if (bad)
            return bad;
        if (c + LU_K < n) {
            lu_right(thread, s, c, n);
            lu_rest(thread, s, c, n);
        }
    }
    lu_take_back(thread, a, ld, s, LU_LD, n, n, 0);
    heddle_team_barrier(thread);
    return 0;
}

TILE_FN void lu_decompose(const heddle_thread *thread, float *a, int b)
{
    for (int p = 0; p < b; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, b - p), rest = b - p - edge;
        float *diag = a + p * b + p;
        int bad = lu_decompose_panel(thread, diag, b, edge);
        if (bad) {
            if (thread->index == 0)
                heddle_task_fail(thread, (uint32_t)(p + bad));
            return;
        }
        if (!rest)
            return;
        lu_forward(thread, diag, diag + edge, b, edge, rest);
        lu_backward(thread, diag, diag + edge * b, b, edge, rest);
        lu_product(thread, diag + edge * b + edge, diag + edge * b, diag + edge, b, rest, rest, edge);
        heddle_team_barrier(thread);
    }
}

#endif
