/* SPDX-License-Identifier: MIT */
/* matmul_plain.h - the numbers of matmul and its plain version, for the lone thread of a core and for teams of any size. Numbers are
 * words of four bytes: all code moves them alike, and only the multiply-add asks what they are. In the common part of C, C++ and CUDA.
 *
 * A lone thread copies a strip of B, MATMUL_STRIP columns of up to MATMUL_CHUNK rows, into a buffer. Then it takes row by row of A, with
 * the strip's columns of C in registers. Their chains of sums are independent, so vector units have enough to do. */
#ifndef MATMUL_PLAIN_H
#define MATMUL_PLAIN_H

#include "matmul_bodies.h"
#include "tile.h"
#include "vectors.h"

#include <string.h>

#define MATMUL_STRIP 64u
#define MATMUL_CHUNK 128u

/* sum + x * y; is_float is a constant. Rounded once: on a GPU fused multiply-adds are twice as quick as products and sums, and processors
 * have them, too. */
TILE_FN uint32_t matmul_add(uint32_t sum, uint32_t x, uint32_t y, int is_float)
{
#if defined(__CUDA_ARCH__)
    return is_float ? __float_as_uint(__fmaf_rn(__uint_as_float(x), __uint_as_float(y), __uint_as_float(sum)))
                    : sum + x * y;
#else
    float f[3];
    if (!is_float)
        return sum + x * y;
    memcpy(&f[0], &x, 4);
    memcpy(&f[1], &y, 4);
    memcpy(&f[2], &sum, 4);
    f[0] = __builtin_fmaf(f[0], f[1], f[2]);
    memcpy(&sum, &f[0], 4);
    return sum;
#endif
}

/* Row number `row` of a matrix, from that column on. */
TILE_FN const uint32_t *matmul_at(const void *matrix, uint64_t stride, uint64_t row, uint64_t col)
{
    return (const uint32_t *)(const void *)((const char *)matrix + row * stride) + col;
}
TILE_FN uint32_t *matmul_to(const matmul_record *p, uint64_t row, uint64_t col)
{
    return (uint32_t *)(void *)((char *)p->c + row * p->c_stride) + col;
}

/* ---- a lone thread ---- */

/* Of B: rows from `at` on, columns from `col` on; zeros beyond the last column. */
typedef struct matmul_strip {
    uint32_t b[MATMUL_CHUNK * MATMUL_STRIP] __attribute__((aligned(64)));
    uint64_t at, col;
    uint32_t n, cols;
} matmul_strip;

HEDDLE_FN void matmul_fill(const matmul_record *p, matmul_strip *s)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t *from = matmul_at(p->b, p->b_stride, s->at + k, s->col);
        uint32_t *to = s->b + k * MATMUL_STRIP;
        memcpy(to, from, s->cols * 4u);
        memset(to + s->cols, 0, (MATMUL_STRIP - s->cols) * 4u);
    }
}

TILE_FN void matmul_row(const matmul_record *p, const matmul_strip *s, uint64_t row, int is_float)
{
    const uint32_t *a = matmul_at(p->a, p->a_stride, row, s->at), *b = s->b;
    uint32_t *c = matmul_to(p, row, s->col), sum[MATMUL_STRIP] = {0};
    if (p->adds || s->at > p->from)
        memcpy(sum, c, s->cols * 4u);
    for (uint32_t k = 0; k < s->n; k++, b += MATMUL_STRIP) {
        const uint32_t x = a[k];
        for (uint32_t j = 0; j < MATMUL_STRIP; j++)
            sum[j] = matmul_add(sum[j], x, b[j], is_float);
    }
    memcpy(c, sum, s->cols * 4u);
}

HEDDLE_FN void matmul_strip_f32(const matmul_record *p, const matmul_strip *s, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        matmul_row(p, s, i, 1);
}
HEDDLE_FN void matmul_strip_i32(const matmul_record *p, const matmul_strip *s, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        matmul_row(p, s, i, 0);
}
#define MATMUL_PARAMS (const matmul_record *p, const matmul_strip *s, uint64_t begin, uint64_t end)
VECTORS_FUSED(matmul_strip_f32, MATMUL_PARAMS, (p, s, begin, end))
VECTORS_QUICK(matmul_strip_i32, MATMUL_PARAMS, (p, s, begin, end))

#if HEDDLE_ON_HOST
static void matmul_alone(const matmul_record *p, const heddle_span *span, int is_float)
{
    matmul_strip s;
    for (s.col = span->begin_2; s.col < span->end_2; s.col += s.cols) {
        s.cols = span->end_2 - s.col < MATMUL_STRIP ? (uint32_t)(span->end_2 - s.col) : MATMUL_STRIP;
        s.n = 0;
        for (s.at = p->from; s.at < p->to || !s.n; s.at += MATMUL_CHUNK) {
            s.n = p->to - s.at < MATMUL_CHUNK ? (uint32_t)(p->to - s.at) : MATMUL_CHUNK;
            matmul_fill(p, &s);
            if (is_float)
                matmul_strip_f32_quick(p, &s, span->begin, span->end);
            else
                matmul_strip_i32_quick(p, &s, span->begin, span->end);
            if (!s.n)
                break; /* there is no k: C is cleared, or stays */
        }
    }
}
#endif

/* ---- many threads ---- */

TILE_FN void matmul_together(const heddle_thread *thread, const matmul_record *p, const heddle_span *s, int is_float)
{
    HEDDLE_SPAN_2D (i, j, s) {
        const uint32_t *a = matmul_at(p->a, p->a_stride, i, 0);
        uint32_t *c = matmul_to(p, i, j), sum = p->adds ? *c : 0;
        for (uint64_t k = p->from; k < p->to; k++)
            sum = matmul_add(sum, a[k], *matmul_at(p->b, p->b_stride, k, j), is_float);
        *c = sum;
    }
}

#endif
