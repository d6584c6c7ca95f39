/* SPDX-License-Identifier: MIT */
/* conv_bodies.c - each cell becomes the sum of the 25 pixels around it, weighted by 1 4 6 4 1 in both directions. Beyond the
 * picture, its outermost pixels repeat. The weights are a product, so sums go along rows first, then down columns.
 *
 * One thread keeps sums down columns of a stretch of a row, and adds along the row: loops that a compiler vectorizes. Many
 * threads take strips of four columns, and go down: each row costs the sums of eight pixels, and the last five rows' sums stay
 * in registers. Neighbouring threads take neighbouring strips, so that a warp's accesses are consecutive. */
#include "conv_bodies.h"

#define STRETCH 256
#define STRIP_COLS 4
#define STRIP_ROWS 16

/* The nearest of 0 .. n - 1. */
TILE_FN int64_t nearest(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/* Of the row of cells r. */
TILE_FN const uint8_t *pixel_row(const conv_record *params, int64_t r)
{
    return params->pixels + (uint64_t)nearest(r + params->above, (int64_t)params->rows) * params->cols;
}

TILE_FN uint32_t five(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
    return a + 4u * (b + d) + 6u * c + e;
}

/* ---- one thread ---- */

/* n cells of row r from column `first` on. down[c]: the sum down column at + c. */
TILE_FN void stretch(const conv_record *params, int64_t r, int64_t first, int n)
{
    const uint8_t *p[5];
    uint32_t down[STRETCH + 4];
    uint32_t *out = params->cells + (uint64_t)r * params->cols + (uint64_t)first;
    const int64_t at = first - 2, left = (int64_t)params->cols - at;
    const int lo = at < 0 ? (int)-at : 0, hi = left < n + 4 ? (int)left : n + 4; /* the columns that there are */
    for (int k = 0; k < 5; k++)
        p[k] = pixel_row(params, r + k - 2);
    for (int c = lo; c < hi; c++)
        down[c] = five(p[0][at + c], p[1][at + c], p[2][at + c], p[3][at + c], p[4][at + c]);
    for (int c = 0; c < lo; c++)
        down[c] = down[lo];
    for (int c = hi; c < n + 4; c++)
        down[c] = down[hi - 1];
    for (int c = 0; c < n; c++)
        out[c] = five(down[c], down[c + 1], down[c + 2], down[c + 3], down[c + 4]);
}

TILE_FN void conv_alone(const conv_record *params, const tile_rect *t)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c += STRETCH)
            stretch(params, (int64_t)(t->row + r), (int64_t)(t->col + c),
                    (int)(t->cols - c < STRETCH ? t->cols - c : STRETCH));
}

/* ---- many threads ---- */

typedef struct conv_four {
    uint32_t v[STRIP_COLS];
} conv_four;

/* Sums along row r of the pixels around four columns. */
TILE_FN conv_four along(const conv_record *params, int64_t r, int64_t col)
{
    const uint8_t *p = pixel_row(params, r);
    const int64_t cols = (int64_t)params->cols;
    uint32_t x[STRIP_COLS + 4];
    conv_four q;
#if defined(__CUDA_ARCH__)
    if (cols % 4 == 0 && col % 4 == 0 && col >= 4 && col + 8 <= cols) { /* three words; the picture is aligned */
        const uint32_t *w = (const uint32_t *)(p + col - 4);
        const uint32_t a = w[0], b = w[1], c = w[2];
        x[0] = a >> 16 & 255u, x[1] = a >> 24;
        x[2] = b & 255u, x[3] = b >> 8 & 255u, x[4] = b >> 16 & 255u, x[5] = b >> 24;
        x[6] = c & 255u, x[7] = c >> 8 & 255u;
    } else
#endif
    {
        for (int i = 0; i < STRIP_COLS + 4; i++)
            x[i] = p[nearest(col + i - 2, cols)];
    }
    for (int i = 0; i < STRIP_COLS; i++)
        q.v[i] = five(x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]);
    return q;
}

TILE_FN void put(uint32_t *out, conv_four q, int n)
{
#if defined(__CUDA_ARCH__)
    if (n == STRIP_COLS && (uintptr_t)out % 16u == 0) {
        *(uint4 *)out = make_uint4(q.v[0], q.v[1], q.v[2], q.v[3]);
        return;
    }
#endif
    for (int i = 0; i < STRIP_COLS; i++)
        if (i < n)
            out[i] = q.v[i];
}

/* n columns of up to STRIP_ROWS rows. */
TILE_FN void strip(const conv_record *params, int64_t row, int64_t col, int rows, int n)
{
    conv_four last[4];
    for (int k = 0; k < 4; k++)
        last[k] = along(params, row + k - 2, col);
    for (int r = 0; r < rows; r++) {
        const conv_four next = along(params, row + r + 2, col);
        conv_four sum;
        for (int i = 0; i < STRIP_COLS; i++)
            sum.v[i] = five(last[0].v[i], last[1].v[i], last[2].v[i], last[3].v[i], next.v[i]);
        put(params->cells + (uint64_t)(row + r) * params->cols + (uint64_t)col, sum, n);
        for (int k = 0; k < 3; k++)
            last[k] = last[k + 1];
        last[3] = next;
    }
}

TILE_FN void conv_together(const heddle_thread *thread, const conv_record *params, const tile_rect *t)
{
    const int across = ((int)t->cols + STRIP_COLS - 1) / STRIP_COLS;
    const int n = across * (((int)t->rows + STRIP_ROWS - 1) / STRIP_ROWS);
    HEDDLE_EACH (i, n) {
        const int c = i % across * STRIP_COLS, r = i / across * STRIP_ROWS;
        const int rows = (int)t->rows - r, cols = (int)t->cols - c;
        strip(params, (int64_t)t->row + r, (int64_t)t->col + c, rows < STRIP_ROWS ? rows : STRIP_ROWS,
              cols < STRIP_COLS ? cols : STRIP_COLS);
    }
}

TILE_FN void conv_of(const heddle_thread *thread, const conv_record *params, const tile_rect *t)
{
#if !defined(__CUDA_ARCH__) /* there the sums would take a stack */
    if (thread->team_size == 1) {
        conv_alone(params, t);
        return;
    }
#endif
    conv_together(thread, params, t);
}

HEDDLE_BODY(conv_tile, conv_record, params, tile_rect, t) { conv_of(thread, params, t); }
TILE_APART(conv_apart_tile, conv_record, conv_record, conv_of)

HEDDLE_POOL_TABLE(conv, conv_record, CONV_BODIES)
HEDDLE_POOL_TABLE(conv_apart, conv_record, CONV_APART_BODIES)
