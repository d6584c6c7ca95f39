/* SPDX-License-Identifier: MIT */
/* endless_bodies.c - the bodies of endless.h. Compiled as C, or as CUDA. */
#include "wave/endless.h"

HEDDLE_CELL(endless_cell, endless_params, params, heddle_nothing, heddle_nothing, uint32_t, 4,
            HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    return (in->n * 5u ^ in->w * 3u) + (in->nw >> 7) + params->by;
}
HEDDLE_FINDS_NOTHING(endless_cell)

HEDDLE_SWEEP(endless_sweep, endless_params, params, uint32_t, 2,
             HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return (in->n * 5u ^ in->w * 3u) + (in->old_c >> 7) + (in->old_e ^ in->old_s) + params->by;
}

HEDDLE_WAVES(endless, endless_params, ENDLESS_WAVES)

HEDDLE_TILE(endless_tile, endless_params, params, tile, 4, 0)
{
    const uint32_t *north = (const uint32_t *)heddle_wave_north(thread, tile);
    uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile);
    HEDDLE_EACH (c, tile->cols) {
        uint32_t v = north ? north[c] : (uint32_t)c, k;
        for (k = 0; k < params->n_turns; k++)
            v = mix_in(v, params->by);
        south[c] = v;
    }
}

HEDDLE_TILES(endless_tiles, endless_params, ENDLESS_TILES)
