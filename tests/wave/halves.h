/* SPDX-License-Identifier: MIT */
/* halves.h - a cell that does not depend on its place, so that a part of a field gives the same cells as the whole. */
#ifndef WAVE_HALVES_H
#define WAVE_HALVES_H

#include "wave/cells.h"

#define HALVES_WAVES(X) X(half_cell, 0)
HEDDLE_ENUM(halves, HALVES_WAVES)
HEDDLE_DECLARE(halves)

HEDDLE_FN uint32_t half_of(uint32_t by, uint32_t n, uint32_t w, uint32_t nw, uint32_t x, uint32_t y)
{
    return mix_of(7, by, n, w, nw, 0, x, y, 0, 0);
}

#endif
