/* SPDX-License-Identifier: MIT */
/* matmul_tuned.h - matmul for thread blocks of MATMUL_TEAM threads: pieces of C of MATMUL_EDGE x MATMUL_EDGE numbers, of which each thread
 * has 8 x 8 in registers. In the common part of C, C++ and CUDA, so that an emulated block runs the same lines.
 *
 * MATMUL_DEPTH columns of A, turned, and rows of B are in shared memory, while those after them are on their way: B's go there directly,
 * A's by way of registers. A thread's numbers are four squares of 4 x 4, as far apart as its warp is tall or wide, so that it reads quads,
 * and neighbours read neighbouring ones. Where A is turned, 16 neighbouring numbers change places with the next 16 in every other quad of
 * columns: so no two threads of a warp write to the same bank.
 *
 * The bytes are those of the plain version: each number has one chain of multiply-adds, in ascending order. Zeros never join a chain, for
 * they could change the sign of a zero: the columns of A that fill no stage have a loop of their own. Rows and columns beyond the edges
 * are computed, and dropped. What is not aligned to 16 bytes is brought number by number. */
#ifndef MATMUL_TUNED_H
#define MATMUL_TUNED_H

#include "matmul_plain.h"
#include "quad.h"

TILE_FOUR(matmul_words, matmul_load, uint32_t, uint4)

TILE_FN void matmul_store(uint32_t *p, matmul_words q)
{
#if defined(__CUDA_ARCH__)
    *(uint4 *)p = make_uint4(q.v[0], q.v[1], q.v[2], q.v[3]);
#else
    for (int i = 0; i < 4; i++)
        p[i] = q.v[i];
#endif
}

/* A piece of C, and what it needs of A and B. */
typedef struct matmul_piece {
    const char *a, *b; /* of the first k: its rows, its columns */
    char *c;
    uint64_t a_stride, b_stride, c_stride, n; /* n: of k */
    int rows, cols;
    uint32_t adds;
} matmul_piece;

#define MATMUL_STAGE (MATMUL_EDGE * MATMUL_DEPTH) /* words of A, and as many of B behind them */
#if defined(__CUDACC__)
#define MATMUL_ROLLED _Pragma("unroll 1")
#else
#define MATMUL_ROLLED
#endif

/* ---- stages ---- */

/* A thread brings a quad of a row of A: of row me / 2, columns me % 2 * 4 ... of the stage that begins at `a`. n: columns that there
 * are, if not whole. */
TILE_FN matmul_words matmul_take(const matmul_piece *p, const char *a, int me, int n, int whole)
{
    const int row = me / 2, col = me % 2 * 4;
    const uint32_t *from = (const uint32_t *)(const void *)(a + (uint64_t)row * p->a_stride) + col;
    matmul_words q;
    if (whole)
        return matmul_load(from);
    QUAD_UNROLL
    for (int j = 0; j < 4; j++)
        q.v[j] = row < p->rows && col + j < n ? from[j] : 0;
    return q;
}

TILE_FN void matmul_turn(uint32_t *stage, int me, matmul_words q)
{
    uint32_t *to = stage + me % 2 * 4 * MATMUL_EDGE + (me / 2 ^ me % 2 * 16);
    QUAD_UNROLL
    for (int j = 0; j < 4; j++)
        to[j * MATMUL_EDGE] = q.v[j];
}

/* And a quad of a row of B: of row me / 32. */
TILE_FN void matmul_send(uint32_t *stage, const matmul_piece *p, const char *b, int me, int n, int whole)
{
    const int row = me / 32, col = me % 32 * 4;
    const char *from = b + (uint64_t)row * p->b_stride + (uint64_t)col * 4;
    uint32_t *to = stage + MATMUL_STAGE + row * MATMUL_EDGE + col;
    if (whole) {
        quad_send((float *)(void *)to, (const float *)(const void *)from);
        return;
    }
    QUAD_UNROLL
    for (int j = 0; j < 4; j++)
        to[j] = row < n && col + j < p->cols ? ((const uint32_t *)(const void *)from)[j] : 0;
}

/* ---- the product ---- */

/* Rows of a thread: 4 from `row` on, and 4 more MATMUL_HIGH below; columns: 4, and 4 more MATMUL_WIDE to the right. */
#define MATMUL_HIGH 32
#define MATMUL_WIDE 16
TILE_FN int matmul_row_of(int me) { return me / 128 * 64 + me % 32 / 4 * 4; }
TILE_FN int matmul_col_of(int me) { return me / 32 % 4 * 32 + me % 4 * 4; }

/* Column k of a stage; a is where this thread's rows begin in it, or for the second half of the columns what `turned` says. */
TILE_FN void matmul_step(uint32_t sum[8][8], const uint32_t *a, const uint32_t *b, int is_float)
{
    const matmul_words x[2] = {matmul_load(a), matmul_load(a + MATMUL_HIGH)};
    const matmul_words y[2] = {matmul_load(b), matmul_load(b + MATMUL_WIDE)};
    QUAD_UNROLL
    for (int i = 0; i < 8; i++)
        QUAD_UNROLL
    for (int j = 0; j < 8; j++)
        sum[i][j] = matmul_add(sum[i][j], x[i / 4].v[i % 4], y[j / 4].v[j % 4], is_float);
}

TILE_FN const uint32_t *matmul_a_of(const uint32_t *stage, int row, int k)
{
    return stage + k * MATMUL_EDGE + (row ^ k / 4 * 16);
}
TILE_FN const uint32_t *matmul_b_of(const uint32_t *stage, int col, int k)
{
    return stage + MATMUL_STAGE + k * MATMUL_EDGE + col;
}

/* All whole stages. */
TILE_FN void matmul_stages(const heddle_thread *thread, const matmul_piece *p, uint32_t sum[8][8], int whole,
                           int is_float)
{
    uint32_t *room = (uint32_t *)(void *)quad_shared(thread);
    const int me = quad_anew(thread->index), row = matmul_row_of(me), col = matmul_col_of(me);
    const uint32_t n = (uint32_t)(p->n / MATMUL_DEPTH);
    const char *a = p->a, *b = p->b;
    if (!n)
        return;
    matmul_send(room, p, b, me, MATMUL_DEPTH, whole);
    matmul_turn(room, me, matmul_take(p, a, me, MATMUL_DEPTH, whole));
    quad_arrived();
    heddle_team_barrier(thread);
    MATMUL_ROLLED
    for (uint32_t s = 0; s < n; s++) {
        uint32_t *now = room + s % 2u * (2 * MATMUL_STAGE), *then = room + (s + 1u) % 2u * (2 * MATMUL_STAGE);
        matmul_words next = {{0, 0, 0, 0}};
        if (s + 1u < n) {
            a += MATMUL_DEPTH * 4;
            b += MATMUL_DEPTH * p->b_stride;
            next = matmul_take(p, a, me, MATMUL_DEPTH, whole);
            matmul_send(then, p, b, me, MATMUL_DEPTH, whole);
        }
        QUAD_UNROLL
        for (int k = 0; k < MATMUL_DEPTH; k++)
            matmul_step(sum, matmul_a_of(now, row, k), matmul_b_of(now, col, k), is_float);
        if (s + 1u < n)
            matmul_turn(then, me, next);
        quad_arrived();
        heddle_team_barrier(thread); /* the next stage is there, and nobody reads this one any more */
    }
}

/* The columns of A that fill no stage. */
TILE_FN void matmul_rest(const heddle_thread *thread, const matmul_piece *p, uint32_t sum[8][8], int is_float)
{
    uint32_t *room = (uint32_t *)(void *)quad_shared(thread);
    const int me = quad_anew(thread->index), row = matmul_row_of(me), col = matmul_col_of(me);
    const uint64_t done = p->n / MATMUL_DEPTH * MATMUL_DEPTH;
    const int n = (int)(p->n - done);
    if (!n)
        return;
    matmul_send(room, p, p->b + done * p->b_stride, me, n, 0);
    matmul_turn(room, me, matmul_take(p, p->a + done * 4, me, n, 0));
    heddle_team_barrier(thread);
    MATMUL_ROLLED
    for (int k = 0; k < n; k++)
        matmul_step(sum, matmul_a_of(room, row, k), matmul_b_of(room, col, k), is_float);
}

/* ---- C ---- */

/* Quad q of row i of a thread's numbers, or NULL: it is beyond the edge. */
TILE_FN uint32_t *matmul_quad_of(const matmul_piece *p, int row, int col, int i, int q, int *n)
{
    const int at = row + i % 4 + i / 4 * MATMUL_HIGH, from = col + q * MATMUL_WIDE;
    *n = at < p->rows ? p->cols - from : 0;
    return (uint32_t *)(void *)(p->c + (uint64_t)at * p->c_stride) + from;
}

TILE_FN void matmul_begin(const matmul_piece *p, uint32_t sum[8][8], int row, int col, int whole)
{
    QUAD_UNROLL
    for (int i = 0; i < 16; i++) {
        int n;
        const uint32_t *from = matmul_quad_of(p, row, col, i / 2, i % 2, &n);
        matmul_words q = {{0, 0, 0, 0}};
        if (p->adds && whole)
            q = matmul_load(from);
        QUAD_UNROLL
        for (int j = 0; j < 4; j++) {
            if (p->adds && !whole && j < n)
                q.v[j] = from[j];
            sum[i / 2][i % 2 * 4 + j] = q.v[j];
        }
    }
}

TILE_FN void matmul_end(const matmul_piece *p, uint32_t sum[8][8], int row, int col, int whole)
{
    QUAD_UNROLL
    for (int i = 0; i < 16; i++) {
        int n;
        uint32_t *to = matmul_quad_of(p, row, col, i / 2, i % 2, &n);
        matmul_words q;
        QUAD_UNROLL
        for (int j = 0; j < 4; j++)
            q.v[j] = sum[i / 2][i % 2 * 4 + j];
        if (whole)
            matmul_store(to, q);
        QUAD_UNROLL
        for (int j = 0; j < 4; j++)
            if (!whole && j < n)
                to[j] = q.v[j];
    }
}

TILE_FN int matmul_is_whole(const matmul_piece *p)
{
    const uint64_t all = (uint64_t)(uintptr_t)p->a | (uint64_t)(uintptr_t)p->b | (uint64_t)(uintptr_t)p->c |
                         p->a_stride | p->b_stride | p->c_stride;
    return p->rows == MATMUL_EDGE && p->cols == MATMUL_EDGE && all % 16u == 0;
}

TILE_FN void matmul_one(const heddle_thread *thread, const matmul_piece *p, int is_float)
{
    const int me = quad_anew(thread->index), row = matmul_row_of(me), col = matmul_col_of(me);
    uint32_t sum[8][8];
    if (matmul_is_whole(p)) {
        matmul_begin(p, sum, row, col, 1);
        matmul_stages(thread, p, sum, 1, is_float);
        matmul_rest(thread, p, sum, is_float);
        matmul_end(p, sum, row, col, 1);
    } else {
        matmul_begin(p, sum, row, col, 0);
        matmul_stages(thread, p, sum, 0, is_float);
        matmul_rest(thread, p, sum, is_float);
        matmul_end(p, sum, row, col, 0);
    }
}

TILE_FN int matmul_least(uint64_t n) { return n < MATMUL_EDGE ? (int)n : MATMUL_EDGE; }

TILE_FN void matmul_pieces(const heddle_thread *thread, const matmul_record *r, const heddle_span *s, int is_float)
{
    for (uint64_t i = s->begin; i < s->end; i += MATMUL_EDGE)
        for (uint64_t j = s->begin_2; j < s->end_2; j += MATMUL_EDGE) {
            matmul_piece p;
            p.a = (const char *)matmul_at(r->a, r->a_stride, i, r->from);
            p.b = (const char *)matmul_at(r->b, r->b_stride, r->from, j);
            p.c = (char *)matmul_to(r, i, j);
            p.a_stride = r->a_stride;
            p.b_stride = r->b_stride;
            p.c_stride = r->c_stride;
            p.n = r->to - r->from;
            p.rows = matmul_least(s->end - i);
            p.cols = matmul_least(s->end_2 - j);
            p.adds = r->adds;
            heddle_team_barrier(thread); /* nobody reads the stages of the piece before */
            matmul_one(thread, &p, is_float);
        }
}

#endif
