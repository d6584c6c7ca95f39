/* SPDX-License-Identifier: MIT */
/* lu_tuned.h - the bodies of lu for thread blocks of 128 to 256 lanes and blocks of a multiple of 16 numbers an edge. In
 * the common part of C, C++ and CUDA, so that an emulated block runs the same lines.
 *
 * Nearly all of the work is lu_product: a tile of C stays in registers, 4 x 8 numbers a lane, while 16 columns of A and
 * rows of B at a time pass through shared memory, the next ones already on their way from memory. The solvers and the
 * decomposition go by panels of LU_EDGE: what comes from earlier panels is a product; within a panel a lane has one
 * column of X (forward) or one row (backward), and the triangle stands in shared memory, where all lanes read the same
 * number at the same time. */
#ifndef LU_TUNED_H
#define LU_TUNED_H

#include "lu_bodies.h"
#include "quad.h"

#define LU_K 16                        /* columns of A in shared memory; everything is a multiple of it */
#define LU_EDGE 64                     /* of a panel, and columns of a tile of C */
#define LU_STRIP 128                   /* columns or rows of X that are solved at a time */
#define LU_A_LD (LU_MAX_LANES / 2 + 4) /* distances from row to row in shared memory: A's, turned; */
#define LU_T_LD (LU_EDGE + 4)          /* the triangle's; */
#define LU_X_LD (LU_STRIP + 4)         /* X's. */
#define LU_STAGE (LU_K * (LU_A_LD + LU_EDGE))

TILE_FN int lu_is_tuned(const heddle_lane *lane, const lu_record *app)
{
    return app->tuned && lane->count >= LU_MIN_LANES && lane->count <= LU_MAX_LANES && lane->count % TILE_WARP == 0;
}

TILE_FN int lu_least(int a, int b) { return a < b ? a : b; }

/* ---- product ---- */

/* Sends 16 columns of A, turned, and 16 rows of B on their way into shared memory. */
TILE_FN void lu_send(const heddle_lane *lane, float *stage, const float *a, const float *b, int ld, int rows, int cols)
{
    const int me = quad_anew(lane->index), at = me % 16, step = (int)lane->count / 16;
    for (int r = me / 16; r < rows; r += step)
        quad_send_1(stage + at * LU_A_LD + r, a + r * ld + at);
    if (at * 4 < cols)
        for (int k = me / 16; k < LU_K; k += step)
            quad_send(stage + LU_K * LU_A_LD + k * LU_EDGE + at * 4, b + k * ld + at * 4);
}

/* c: 4 rows, and 4 columns in each half of the tile. */
TILE_FN void lu_multiply(float c[4][8], const float *a, const float *b)
{
    QUAD_UNROLL_4
    for (int k = 0; k < LU_K; k++) {
        quad l = quad_load(a + k * LU_A_LD), u[2];
        u[0] = quad_load(b + k * LU_EDGE);
        u[1] = quad_load(b + k * LU_EDGE + LU_EDGE / 2);
        QUAD_UNROLL
        for (int i = 0; i < 4; i++)
            QUAD_UNROLL
        for (int j = 0; j < 8; j++)
            c[i][j] -= l.v[i] * u[j / 4].v[j % 4];
    }
}

/* C -= A B for a tile of C: lane->count / 2 rows and LU_EDGE columns at most. Eight lanes stand side by side. */
TILE_FN void lu_product_tile(const heddle_lane *lane, float *c, const float *a, const float *b, int ld, int rows,
                             int cols, int n)
{
    float *stage = quad_shared(lane), x[4][8];
    const int me = quad_anew(lane->index), row = me / 8 * 4, col = me % 8 * 4;
    c += row * ld + col;
    lu_send(lane, stage, a, b, ld, rows, cols);
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
        float *now = stage + k / LU_K % 2 * LU_STAGE;
        quad_arrived();
        heddle_barrier(lane); /* all of it is there, and nobody reads the other half any more */
        if (k + LU_K < n)
            lu_send(lane, stage + (k / LU_K + 1) % 2 * LU_STAGE, a + k + LU_K, b + (k + LU_K) * ld, ld, rows, cols);
        if (row < rows)
            lu_multiply(x, now + row, now + LU_K * LU_A_LD + col);
    }
    heddle_barrier(lane);
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
QUAD_APART void lu_product(const heddle_lane *lane, float *c, const float *a, const float *b, int ld, int rows,
                           int cols, int n)
{
    const int height = (int)lane->count / 2;
    for (int i = 0; i < rows; i += height)
        for (int j = 0; j < cols; j += LU_EDGE)
            lu_product_tile(lane, c + i * ld + j, a + i * ld, b + j, ld, lu_least(height, rows - i),
                            lu_least(LU_EDGE, cols - j), n);
}

/* ---- between memory and shared memory ---- */

/* Quad f of a rectangle: a warp takes eight rows of four quads, which is well both for rows and for columns. */
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

/* rows x cols numbers of x into shared memory, turned there or not. */
TILE_FN void lu_bring(const heddle_lane *lane, float *to, int to_ld, const float *x, int ld, int rows, int cols,
                      int turned)
{
    const int n = rows * cols / 4, step = (int)lane->count;
    for (int f = quad_anew(lane->index); f < n; f += QUADS_AT_ONCE * step) {
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

TILE_FN void lu_take_back(const heddle_lane *lane, float *x, int ld, const float *from, int from_ld, int rows, int cols,
                          int turned)
{
    for (int f = quad_anew(lane->index); f < rows * cols / 4; f += (int)lane->count) {
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

/* LU_K unknowns from number `at` on, of the column x of X; the earlier ones are known. Row k of t has what unknown k
 * counts for in later ones; on the diagonal what it is divided by, if it is. */
TILE_FN void lu_solve_some(const float *t, float *x, int at, int divide)
{
    float sum[LU_K];
    QUAD_UNROLL
    for (int i = 0; i < LU_K; i++)
        sum[i] = x[(at + i) * LU_X_LD];
    QUAD_UNROLL_4
    for (int k = 0; k < at; k++) {
        const float known = x[k * LU_X_LD];
        QUAD_UNROLL
        for (int i = 0; i < LU_K; i += 4) {
            quad q = quad_load(t + k * LU_T_LD + at + i);
            QUAD_UNROLL
            for (int j = 0; j < 4; j++)
                sum[i + j] -= q.v[j] * known;
        }
    }
    QUAD_UNROLL
    for (int k = 0; k < LU_K; k++) {
        const float *row = t + (at + k) * LU_T_LD + at;
        if (divide)
            sum[k] /= row[k];
        QUAD_UNROLL
        for (int i = k + 1; i < LU_K; i++)
            sum[i] -= row[i] * sum[k];
        x[(at + k) * LU_X_LD] = sum[k];
    }
}

/* A strip of X, n unknowns in each of `width` systems, by the triangle in shared memory. turned: systems are rows of X,
 * and the unknowns are divided by the diagonal. */
TILE_FN void lu_solve_strip(const heddle_lane *lane, float *x, int ld, int n, int width, int turned)
{
    float *t = quad_shared(lane), *strip = t + LU_EDGE * LU_T_LD;
    lu_bring(lane, strip, LU_X_LD, x, ld, turned ? width : n, turned ? n : width, turned);
    heddle_barrier(lane);
    const int me = quad_anew(lane->index);
    if (me < width)
        for (int at = 0; at < n; at += LU_K)
            lu_solve_some(t, strip + me, at, turned);
    heddle_barrier(lane);
    lu_take_back(lane, x, ld, strip, LU_X_LD, turned ? width : n, turned ? n : width, turned);
    heddle_barrier(lane);
}

/* L X = A: l has n rows, x has n rows and `cols` columns. */
QUAD_APART void lu_forward(const heddle_lane *lane, const float *l, float *x, int ld, int n, int cols)
{
    for (int p = 0; p < n; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, n - p);
        if (p) {
            lu_product(lane, x + p * ld, l + p * ld, x, ld, edge, cols, p);
            heddle_barrier(lane);
        }
        lu_bring(lane, quad_shared(lane), LU_T_LD, l + p * ld + p, ld, edge, edge, 1);
        for (int j = 0; j < cols; j += LU_STRIP)
            lu_solve_strip(lane, x + p * ld + j, ld, edge, lu_least(LU_STRIP, cols - j), 0);
    }
}

/* X U = A: u has n columns, x has n columns and `rows` rows. */
QUAD_APART void lu_backward(const heddle_lane *lane, const float *u, float *x, int ld, int n, int rows)
{
    for (int p = 0; p < n; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, n - p);
        if (p) {
            lu_product(lane, x + p, x, u + p, ld, rows, edge, p);
            heddle_barrier(lane);
        }
        lu_bring(lane, quad_shared(lane), LU_T_LD, u + p * ld + p, ld, edge, edge, 0);
        for (int i = 0; i < rows; i += LU_STRIP)
            lu_solve_strip(lane, x + i * ld + p, ld, edge, lu_least(LU_STRIP, rows - i), 1);
    }
}

/* ---- decomposition ---- */

/* LU_K columns of the n x n matrix s in shared memory, from column c on, rows c and below. A lane has a row in its
 * registers and gives it away when it is a row of U. The number of the first bad pivot + 1, or 0: the same on all lanes. */
TILE_FN int lu_eliminate(const heddle_lane *lane, float *s, int c, int n)
{
    const int mine = quad_anew(lane->index), there = c + mine < n;
    float *row = s + (c + mine) * LU_T_LD + c, x[LU_K];
    if (there)
        QUAD_UNROLL
    for (int j = 0; j < LU_K; j++)
        x[j] = row[j];
    QUAD_UNROLL
    for (int k = 0; k < LU_K; k++) {
        const float *up = s + (c + k) * LU_T_LD + c;
        if (mine == k)
            QUAD_UNROLL
        for (int j = 0; j < LU_K; j++)
            row[j] = x[j];
        heddle_barrier(lane);
        if (!(up[k] < 0 || up[k] > 0))
            return c + k + 1;
        if (there && mine > k) {
            x[k] /= up[k];
            QUAD_UNROLL
            for (int j = k + 1; j < LU_K; j++)
                x[j] -= x[k] * up[j];
        }
    }
    if (there && mine >= LU_K)
        QUAD_UNROLL
    for (int j = 0; j < LU_K; j++)
        row[j] = x[j];
    heddle_barrier(lane);
    return 0;
}

/* The same rows of U to the right of those columns: a lane has a column. */
TILE_FN void lu_right(const heddle_lane *lane, float *s, int c, int n)
{
    const float *l = s + c * LU_T_LD + c;
    for (int j = quad_anew(lane->index); j < n - c - LU_K; j += (int)lane->count) {
        float *x = s + c * LU_T_LD + c + LU_K + j, y[LU_K];
        QUAD_UNROLL
        for (int i = 0; i < LU_K; i++)
            y[i] = x[i * LU_T_LD];
        QUAD_UNROLL
        for (int k = 0; k < LU_K; k++) {
            QUAD_UNROLL
            for (int i = k + 1; i < LU_K; i++)
                y[i] -= l[i * LU_T_LD + k] * y[k];
            x[k * LU_T_LD] = y[k];
        }
    }
    heddle_barrier(lane);
}

/* Takes the product of those columns and rows from 4 x 4 numbers at (r, j). */
TILE_FN void lu_subtract_16(float *s, int c, int r, int j)
{
    quad x[4];
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        x[i] = quad_load(s + (r + i) * LU_T_LD + j);
    QUAD_UNROLL_4
    for (int k = 0; k < LU_K; k++) {
        quad u = quad_load(s + (c + k) * LU_T_LD + j);
        QUAD_UNROLL
        for (int i = 0; i < 4; i++) {
            float l = s[(r + i) * LU_T_LD + c + k];
            QUAD_UNROLL
            for (int e = 0; e < 4; e++)
                x[i].v[e] -= l * u.v[e];
        }
    }
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        quad_store(s + (r + i) * LU_T_LD + j, x[i]);
}

TILE_FN void lu_rest(const heddle_lane *lane, float *s, int c, int n)
{
    const int first = c + LU_K, across = (n - first) / 4;
    for (int f = quad_anew(lane->index); f < across * across; f += (int)lane->count)
        lu_subtract_16(s, c, first + f / across * 4, first + f % across * 4);
    heddle_barrier(lane);
}

/* n x n numbers of a, n up to LU_EDGE. The number of the first bad pivot + 1, or 0. */
QUAD_APART int lu_decompose_panel(const heddle_lane *lane, float *a, int ld, int n)
{
    float *s = quad_shared(lane);
    lu_bring(lane, s, LU_T_LD, a, ld, n, n, 0);
    heddle_barrier(lane);
    for (int c = 0; c < n; c += LU_K) {
        int bad = lu_eliminate(lane, s, c, n);
        if (bad)
            return bad;
        if (c + LU_K < n) {
            lu_right(lane, s, c, n);
            lu_rest(lane, s, c, n);
        }
    }
    lu_take_back(lane, a, ld, s, LU_T_LD, n, n, 0);
    heddle_barrier(lane);
    return 0;
}

TILE_FN void lu_decompose(const heddle_lane *lane, float *a, int b)
{
    for (int p = 0; p < b; p += LU_EDGE) {
        const int edge = lu_least(LU_EDGE, b - p), rest = b - p - edge;
        float *diag = a + p * b + p;
        int bad = lu_decompose_panel(lane, diag, b, edge);
        if (bad) {
            if (lane->index == 0)
                heddle_fail(lane, (uint32_t)(p + bad));
            return;
        }
        if (!rest)
            return;
        lu_forward(lane, diag, diag + edge, b, edge, rest);
        lu_backward(lane, diag, diag + edge * b, b, edge, rest);
        lu_product(lane, diag + edge * b + edge, diag + edge * b, diag + edge, b, rest, rest, edge);
        heddle_barrier(lane);
    }
}

#endif
