/* SPDX-License-Identifier: MIT */
/* border_cell.h - the arithmetic of one cell, for tiles that keep cells in registers and for waves. */
#ifndef BORDER_CELL_H
#define BORDER_CELL_H

#include "tile.h"

/* Wraps around: a wave also computes cells outside its field, and drops them. */
TILE_FN int32_t cell_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
TILE_FN int32_t cell_min(int32_t a, int32_t b) { return a < b ? a : b; }
TILE_FN int32_t cell_max(int32_t a, int32_t b) { return a > b ? a : b; }

/* min(a + b, c). */
TILE_FN int32_t cell_add_min(int32_t a, int32_t b, int32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmin_s32(a, b, c);
#else
    return cell_min(cell_add(a, b), c);
#endif
}

/* 64 bits as two words, the low one first: a cell's results pass through vectors word by word, and vectors have no
 * carry but a comparison. */
HEDDLE_FN uint64_t cell_sum_of(const uint32_t words[2]) { return (uint64_t)words[1] << 32 | words[0]; }
HEDDLE_FN void cell_sum(uint32_t to[2], uint64_t n)
{
#if defined(__CUDA_ARCH__)
    n += cell_sum_of(to);
    to[0] = (uint32_t)n;
    to[1] = (uint32_t)(n >> 32);
#else
    to[0] += (uint32_t)n;
    to[1] += (uint32_t)(n >> 32) + (to[0] < (uint32_t)n);
#endif
}

#endif
