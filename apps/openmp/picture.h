/* SPDX-License-Identifier: MIT */
/* picture.h - a made-up grey picture, and what sat and inthist share: prefix sums of one tile of one table. Cell (r, c)
 * becomes the sum of the pixels' contributions in rows 0..r and columns 0..c, modulo 2^32. */
#ifndef OPENMP_PICTURE_H
#define OPENMP_PICTURE_H

#include "common.h"

static inline uint8_t *picture_new(int n)
{
    uint8_t *pixels = memory((size_t)n * (size_t)n, 1);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        pixels[i] = (uint8_t)(noise_u64(2, i) >> 56);
    return pixels;
}

#define AHEAD 8 /* rows that are prefetched */

static inline uint64_t table_sum(const uint32_t *table, size_t cells)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += table[i];
    return sum;
}

#endif
