/* SPDX-License-Identifier: MIT */
/* cells.h - cells for tests of wavefronts: one for each set of neighbours, which mixes all that it may read, three that are
 * wider than what the row below gets, and one of floats. A second table has some of them as tiles, too. */
#ifndef WAVE_CELLS_H
#define WAVE_CELLS_H

#if defined(HEDDLE_WAVE_SHAPES)      /* defined by the build */
#elif defined(HEDDLE_EMULATED_BLOCK) /* shapes that take nvcc long to compile */
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 4, 4) X(name, 2, 8, 1) X(name, 3, 2, 8) X(name, 4, 1, 1)
#else
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 2, 2)
#endif
#include "heddle/wave.h"

typedef struct mix_params {
    uint32_t by;
} mix_params;

/* n and sum do not depend on the order of merges; the place of the first largest cell does. */
typedef struct mix_found {
    uint32_t n, sum, most, i, j;
} mix_found;

typedef struct mix_pair {
    uint32_t down, own;
} mix_pair;
typedef struct mix_three {
    uint32_t down[2], own;
} mix_three;
typedef struct mix_four {
    uint32_t down[3], own;
} mix_four;

#define MIX_MASKS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define MIX_NAME(X, mask) X(mix_##mask, 0)

#define MIX_WAVES(X) \
    X(mix_1, 0)      \
    X(mix_2, 0)      \
    X(mix_3, 0)      \
    X(mix_4, 0)      \
    X(mix_5, 0)      \
    X(mix_6, 0)      \
    X(mix_7, 0)      \
    X(mix_8, 0)      \
    X(mix_9, 0)      \
    X(mix_10, 0)     \
    X(mix_11, 0)     \
    X(mix_12, 0)     \
    X(mix_13, 0) X(mix_14, 0) X(mix_15, 0) X(mix_pairs, 0) X(mix_threes, 0) X(mix_fours, 0) X(mix_floats, 0)
HEDDLE_ENUM(mix, MIX_WAVES)
HEDDLE_DECLARE(mix)

/* Compiled with HEDDLE_WAVE_TILES (cells_as_tiles.c), which takes nvcc long: a cell of four words, of which the row below gets
 * three; and one of floats, of all neighbours. */
#define MIX_AS_TILES(X) X(tiled_fours, 0) X(tiled_floats, 0)
HEDDLE_ENUM(mix_as_tiles, MIX_AS_TILES)
HEDDLE_DECLARE(mix_as_tiles)

HEDDLE_FN uint32_t mix_in(uint32_t h, uint32_t v) { return (h ^ v) * 16777619u + (h >> 15); }

/* Cell (i, j) from its neighbours (those outside the mask are ignored), its row's and its column's value. */
HEDDLE_FN uint32_t mix_of(uint32_t mask, uint32_t by, uint32_t n, uint32_t w, uint32_t nw, uint32_t ne, uint32_t x,
                          uint32_t y, uint32_t i, uint32_t j)
{
    uint32_t h = mix_in(mix_in(2166136261u, by), x * 65599u + y);
    h = mix_in(mix_in(h, i), j);
    h = mask & HEDDLE_N ? mix_in(h, n) : h;
    h = mask & HEDDLE_W ? mix_in(h, w) : h;
    h = mask & HEDDLE_NW ? mix_in(h, nw) : h;
    return mask & HEDDLE_NE ? mix_in(h, ne) : h;
}

/* A neighbour of a cell of floats: what stands outside of the field has any bits. */
HEDDLE_FN float mix_float_in(float v) { return v > -1e6f && v < 1e6f ? v : 1.0f; }

/* Sums, products and quotients, rounded each: what fuses two of them, or takes them in another order, shows. */
HEDDLE_FN float mix_float_of(uint32_t by, float n, float w, float nw, float ne, uint32_t x, uint32_t y)
{
    const float a = (float)(by & 255u) * 0.00390625f, b = (float)(by >> 8 & 255u) * 0.00390625f;
    const float ahead = mix_float_in(n) * a + mix_float_in(w) * b, aside = mix_float_in(nw) - mix_float_in(ne) * 0.3f;
    return ahead + aside / (1.0f + mix_float_in(w) * mix_float_in(w)) + (float)(x * 31u + y % 1000u) * 0.01f;
}

/* A float's bits. */
HEDDLE_FN uint32_t mix_bits(float v)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
}

HEDDLE_FN int mix_is_found(uint32_t cell) { return cell % 8u == 3u; }
HEDDLE_FN void mix_find(uint32_t cell, uint32_t i, uint32_t j, mix_found *found)
{
    found->n++;
    found->sum += cell + mix_in(i, j);
    if (cell % 1024u > found->most) { /* few values, so there are ties */
        found->most = cell % 1024u;
        found->i = i;
        found->j = j;
    }
}
HEDDLE_FN void mix_merge(mix_found *a, const mix_found *b)
{
    a->n += b->n;
    a->sum += b->sum;
    if (b->most > a->most || (b->most == a->most && (b->i < a->i || (b->i == a->i && b->j < a->j)))) {
        a->most = b->most;
        a->i = b->i;
        a->j = b->j;
    }
}

#endif
