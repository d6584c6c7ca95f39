/* SPDX-License-Identifier: MIT */
/* cells.c - the cells of cells.h. Compiled as C, as C++ for the emulator of blocks, or as CUDA. */
#include "wave/cells.h"

#define FINDS(name, value)                       \
    HEDDLE_FINDS(name, mix_found)                \
    HEDDLE_FIND(name, cell, row, column, found)  \
    {                                            \
        if (mix_is_found(value))                 \
            mix_find(value, row, column, found); \
    }                                            \
    HEDDLE_MERGE(name, a, b) { mix_merge(a, b); }

#define MIX(mask)                                                                                  \
    HEDDLE_CELL(mix_##mask, mix_params, params, uint8_t, uint16_t, uint32_t, 4, mask)              \
    {                                                                                              \
        return mix_of(mask, params->by, in->n, in->w, in->nw, in->ne, in->x, in->y, in->i, in->j); \
    }                                                                                              \
    FINDS(mix_##mask, *cell)
#if !defined(CELLS_AS_TILES)
MIX_MASKS(MIX)

/* The row below gets half of the cell. */
HEDDLE_CELL(mix_pairs, mix_params, params, heddle_nothing, uint32_t, mix_pair, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    mix_pair c;
    c.own = mix_in(in->w.own, in->w.down);
    c.down = mix_of(7, params->by, in->n.down, in->w.down + c.own, in->nw.down, 0, 0, in->y, in->i, in->j);
    return c;
}
FINDS(mix_pairs, cell->down + cell->own)

/* The row below gets two words of three. */
HEDDLE_CELL(mix_threes, mix_params, params, uint8_t, uint8_t, mix_three, 8, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
{
    mix_three c;
    c.own = mix_in(in->w.own, in->w.down[1]);
    c.down[0] = mix_of(7, params->by, in->n.down[1], in->w.down[0], in->nw.down[0], 0, in->x, in->y, in->i, in->j);
    c.down[1] = mix_in(in->n.down[0], in->w.own);
    return c;
}
HEDDLE_FINDS_NOTHING(mix_threes)

#endif

/* The row below gets three words of four. */
#define FOURS(name)                                                                                                  \
    HEDDLE_CELL(name, mix_params, params, uint32_t, heddle_nothing, mix_four, 12, HEDDLE_N | HEDDLE_W | HEDDLE_NE)   \
    {                                                                                                                \
        mix_four c;                                                                                                  \
        c.own = mix_in(in->w.own, in->w.down[2]);                                                                    \
        c.down[0] = mix_of(11, params->by, in->n.down[0], in->w.down[0], 0, in->ne.down[2], in->x, 0, in->i, in->j); \
        c.down[1] = mix_in(in->n.down[1], in->w.own);                                                                \
        c.down[2] = mix_in(in->ne.down[0], in->n.down[2]);                                                           \
        return c;                                                                                                    \
    }                                                                                                                \
    HEDDLE_FINDS_NOTHING(name)

#define FLOATS(name)                                                                 \
    HEDDLE_CELL(name, mix_params, params, uint8_t, uint16_t, float, 4, 15)           \
    {                                                                                \
        return mix_float_of(params->by, in->n, in->w, in->nw, in->ne, in->x, in->y); \
    }                                                                                \
    FINDS(name, mix_bits(*cell))

#if defined(CELLS_AS_TILES)
FOURS(tiled_fours)
FLOATS(tiled_floats)
HEDDLE_WAVES(mix_as_tiles, mix_params, MIX_AS_TILES)
#else
FOURS(mix_fours)
FLOATS(mix_floats)
HEDDLE_WAVES(mix, mix_params, MIX_WAVES)
#endif
