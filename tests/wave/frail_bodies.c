/* SPDX-License-Identifier: MIT */
/* frail_bodies.c - the bodies of frail.h. Compiled as C, as C++ for the emulator of blocks, or as CUDA. */
#include "wave/frail.h"

#define FRAIL_CELL(name, last, neighbours)                                               \
    HEDDLE_CELL(name, frail_params, params, heddle_nothing, heddle_nothing, uint32_t, 4, \
                HEDDLE_N | HEDDLE_W | HEDDLE_FAILS | (neighbours))                       \
    {                                                                                    \
        const uint32_t v = frail_of(params->by, in->n, in->w, in->last, in->i, in->j);   \
        if (frail_code(params->odds, v))                                                 \
            heddle_cell_fail(in, frail_code(params->odds, v));                           \
        return v;                                                                        \
    }                                                                                    \
    HEDDLE_FINDS_NOTHING(name)
FRAIL_CELL(frail_cell, nw, HEDDLE_NW)
FRAIL_CELL(frail_east, ne, HEDDLE_NE)

#define FRAIL_SWEEP(name, together)                                                                   \
    HEDDLE_SWEEP(name, frail_params, params, uint32_t, together,                                      \
                 HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S | HEDDLE_FAILS)     \
    {                                                                                                 \
        const uint32_t v = frail_sweep_of(params->by, in->n, in->w, in->old_c, in->old_e, in->old_s); \
        if (frail_code(params->odds, v))                                                              \
            heddle_cell_fail(in, frail_code(params->odds, v));                                        \
        return v;                                                                                     \
    }
FRAIL_SWEEPS(FRAIL_SWEEP)

HEDDLE_WAVES(frail, frail_params, FRAIL_WAVES)

/* A column of a tile, from the value above it. */
HEDDLE_FN uint32_t frail_column(const frail_params *params, const heddle_tile *tile, uint32_t c, uint32_t n)
{
    uint32_t r;
    for (r = 0; r < tile->rows; r++) {
        const uint32_t i = tile->row + r, j = tile->col + c;
        n = frail_of(params->by, n, 0, 0, i, j);
        params->out[params->at[tile->item] + (uint64_t)i * tile->field_cols + j] = n;
    }
    return n;
}

/* Two threads of a failing tile report it. */
HEDDLE_TILE_FAILS(frail_tile, frail_params, params, tile, 4, 0)
{
    const uint32_t v = frail_number(params->by, tile->item, tile->row, tile->col), code = frail_code(params->odds, v);
    const uint32_t *north;
    uint32_t *south;
    if (code && thread->index == v % thread->team_size)
        heddle_tile_fail(thread, tile, code + 1u);
    north = (const uint32_t *)heddle_wave_north(thread, tile);
    south = (uint32_t *)heddle_wave_south(thread, tile);
    HEDDLE_EACH (c, tile->cols)
        south[c] = frail_column(params, tile, (uint32_t)c, north ? north[c] : 0u);
    if (code && thread->index == v / 7u % thread->team_size)
        heddle_tile_fail(thread, tile, code);
}

HEDDLE_TILES(frail_tiles, frail_params, FRAIL_TILES)
