/* SPDX-License-Identifier: MIT */
/* bodies.h - cells of the tests of wavefronts over fleets: each mixes all that it may read, its place too. */
#ifndef FRONT_BODIES_H
#define FRONT_BODIES_H

#include "heddle/wave.h"

typedef struct front_params {
    uint32_t by, fail_row, fail_col; /* front_frail fails there, and in the first column of all rows below */
} front_params;

/* What cells of front_mix find: of all values the sum, and the largest with its place. */
typedef struct front_found {
    uint32_t sum, most, row, column;
} front_found;

typedef struct front_wide {
    uint32_t at[3];
} front_wide;

#define FRONT_WAVES(X) \
    X(front_mix, 0)    \
    X(front_best, 0)   \
    X(front_east, 0)   \
    X(front_sweep, 0)  \
    X(front_frail, 0)
HEDDLE_ENUM(front, FRONT_WAVES)
HEDDLE_DECLARE(front)

HEDDLE_FN uint32_t front_in(uint32_t h, uint32_t x) { return (h ^ x) * 16777619u + (h >> 13); }
HEDDLE_FN uint32_t front_of(uint32_t by, uint32_t n, uint32_t w, uint32_t nw, uint32_t x, uint32_t y, uint32_t i,
                            uint32_t j)
{
    const uint32_t h = front_in(front_in(front_in(front_in(by, n), w), nw), x);
    return front_in(front_in(front_in(h, y), i), j);
}

#endif
