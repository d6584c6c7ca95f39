/* SPDX-License-Identifier: MIT */
/* bytes.h - the oracle of overlaps: a range as the set of its bytes, one bit each. It knows only a range's definition,
 * and nothing of rows, strides and planes, so it cannot share the library's errors. For small stretches of addresses;
 * also makes random ranges there. */
#ifndef BYTES_H
#define BYTES_H

#include "check.h"
#include "heddle.h"

#include <string.h>

#define BYTES_MAX 2048u

typedef struct bytes {
    uint64_t word[BYTES_MAX / 64];
} bytes;

static inline uint64_t bytes_base(const heddle_range *r) { return (uint64_t)(uintptr_t)r->base; }
static inline uint64_t bytes_rows(const heddle_range *r) { return r->n_rows > 1 ? r->n_rows : 1; }

/* A block: more than one row, with gaps between them. */
static inline int bytes_is_block(const heddle_range *r) { return r->n_rows > 1 && r->stride_bytes != r->row_bytes; }

/* Loops over every byte: its distance from origin. */
#define BYTES_EACH(at, r, origin)                                                                                \
    for (uint64_t row_ = 0; row_ < bytes_rows(r); row_++)                                                        \
        for (uint64_t col_ = 0, at = bytes_base(r) - (origin) + row_ * (r)->stride_bytes; col_ < (r)->row_bytes; \
             col_++, at++)

static inline void bytes_add(bytes *b, const heddle_range *r, uint64_t origin)
{
    BYTES_EACH(at, r, origin)
    b->word[at / 64] |= 1ull << at % 64;
}

static inline int bytes_meet(const bytes *a, const bytes *b)
{
    uint64_t i, any = 0;
    for (i = 0; i < BYTES_MAX / 64; i++)
        any |= a->word[i] & b->word[i];
    return any != 0;
}

static inline uint64_t bytes_last(const heddle_range *r)
{
    return bytes_base(r) + (bytes_rows(r) - 1) * r->stride_bytes + r->row_bytes - 1;
}

/* Do the ranges share a byte? */
static inline int bytes_share(const heddle_range *a, const heddle_range *b, uint64_t origin)
{
    bytes x, y;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    bytes_add(&x, a, origin);
    bytes_add(&y, b, origin);
    return bytes_meet(&x, &y);
}

/* Do the ranges overlap when each is taken as one stretch from first to last byte? */
static inline int bytes_near(const heddle_range *a, const heddle_range *b)
{
    return bytes_base(a) <= bytes_last(b) && bytes_base(b) <= bytes_last(a);
}

/* Where the library need not be exact: near blocks of different strides count as overlapping. */
static inline int bytes_inexact(const heddle_range *a, const heddle_range *b)
{
    return bytes_is_block(a) && bytes_is_block(b) && a->stride_bytes != b->stride_bytes && bytes_near(a, b);
}

/* A contiguous range of [origin, origin + n_bytes): half of them on a coarse grid, so that equal ones recur. */
static inline heddle_range bytes_random_line(uint64_t *seed, uint64_t origin, uint64_t n_bytes)
{
    uint64_t grid = check_below(seed, 2) ? n_bytes / 16 : 1, most = n_bytes / grid;
    uint64_t n = (1 + check_below(seed, check_below(seed, 8) ? (most + 7) / 8 : most)) * grid;
    uint64_t at = check_below(seed, (n_bytes - n) / grid + 1) * grid;
    return heddle_range_of((const void *)(uintptr_t)(origin + at), n, check_below(seed, 2), check_random(seed) & 0xff,
                           HEDDLE_MODE_IN);
}

/* A 2-D block there. Few strides, so that blocks often share one; columns may wrap. */
static inline heddle_range bytes_random_block(uint64_t *seed, uint64_t origin, uint64_t n_bytes)
{
    static const uint64_t strides[] = {32, 32, 32, 24, 17, 64, 48};
    uint64_t stride = strides[check_below(seed, sizeof strides / sizeof strides[0])];
    uint64_t grid = check_below(seed, 2) ? 8 : 1, row = check_below(seed, 12) ? stride / 2 : stride;
    uint64_t rows = 2 + check_below(seed, check_below(seed, 4) ? 4 : n_bytes / stride - 1), span, at;
    row = row <= grid ? row : (1 + check_below(seed, row / grid)) * grid;
    rows = rows * stride > n_bytes ? n_bytes / stride : rows;
    span = (rows - 1) * stride + row;
    at = check_below(seed, (n_bytes - span) / grid + 1) * grid;
    return heddle_range_of((const void *)(uintptr_t)(origin + at), row, rows, stride, HEDDLE_MODE_IN);
}

/* A random range; blocks: 0 none, else mostly one in two. */
static inline heddle_range bytes_random_range(uint64_t *seed, uint64_t origin, uint64_t n_bytes, int blocks)
{
    return blocks && check_below(seed, 2) ? bytes_random_block(seed, origin, n_bytes)
                                          : bytes_random_line(seed, origin, n_bytes);
}

#endif
