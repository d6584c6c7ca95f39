/* SPDX-License-Identifier: MIT */
/* tiles.c - the bodies of tiles.h. Compiled as C, as C++ for the emulator of blocks, or as CUDA. */
#include "wave/tiles.h"

/* The index of the tile's cell (r, 0); rows are the field's columns apart. */
HEDDLE_FN uint64_t tiles_at(const tiles_params *params, const heddle_tile *t, uint32_t r)
{
    return params->at[t->item] + (uint64_t)(t->row + r) * t->field_cols + t->col;
}

HEDDLE_FN void tiles_may_fail(const heddle_thread *thread, const tiles_params *params, const heddle_tile *t)
{
    if (thread->index == thread->team_size - 1u && params->fail_item == t->item &&
        params->fail_row - t->row < t->rows && params->fail_col - t->col < t->cols)
        heddle_task_fail(thread, 77);
}

/* Row r becomes its prefix sums, which continue those of the tile to the left. */
HEDDLE_FN void tiles_row(const tiles_params *params, const heddle_tile *t, uint32_t r)
{
    const uint64_t at = tiles_at(params, t, r);
    uint32_t *left = (uint32_t *)t->carry, c;
    for (c = 0; c < t->cols; c++)
        params->out[at + c] = left[r] += params->in[at + c];
}

/* The sum of the tile's column c. */
HEDDLE_FN uint32_t tiles_sum(const tiles_params *params, const heddle_tile *t, uint32_t c)
{
    uint32_t sum = 0, r;
    for (r = 0; r < t->rows; r++)
        sum += params->out[tiles_at(params, t, r) + c];
    return sum;
}

HEDDLE_FN void tiles_column(const tiles_params *params, const heddle_tile *t, uint32_t c, uint32_t sum)
{
    uint32_t r;
    for (r = 0; r < t->rows; r++)
        sum = params->out[tiles_at(params, t, r) + c] += sum;
}

/* Writes what goes south before it reads north. It copies north behind the row sums of the carry, since the tile may go
 * on after it has handed on. */
HEDDLE_TILE(tiles_area, tiles_params, params, tile, 4, TILES_MOST_ROWS * 4 + 512 * 4)
{
    uint32_t *kept = (uint32_t *)tile->carry + TILES_MOST_ROWS, *south;
    const uint32_t *north;
    HEDDLE_EACH (r, tile->rows)
        tiles_row(params, tile, (uint32_t)r);
    heddle_team_barrier(thread);
    south = (uint32_t *)heddle_wave_south(thread, tile);
    HEDDLE_EACH (c, tile->cols)
        south[c] = tiles_sum(params, tile, (uint32_t)c);
    north = (const uint32_t *)heddle_wave_north(thread, tile);
    HEDDLE_EACH (c, tile->cols)
        south[c] += kept[c] = north ? north[c] : 0u;
    if (tiles_is_early(params->by, tile->row, tile->col))
        heddle_wave_hand(thread, tile);
    HEDDLE_EACH (c, tile->cols)
        tiles_column(params, tile, (uint32_t)c, kept[c]);
    tiles_may_fail(thread, params, tile);
}

HEDDLE_TILE(tiles_down, tiles_params, params, tile, sizeof(tiles_three), 0)
{
    const tiles_three *north = (const tiles_three *)heddle_wave_north(thread, tile);
    tiles_three *south = (tiles_three *)heddle_wave_south(thread, tile);
    HEDDLE_EACH (c, tile->cols) {
        tiles_three s = {{0, 0, 0}};
        uint32_t r;
        if (north)
            s = north[c];
        for (r = 0; r < tile->rows; r++) {
            tiles_step(&s, params->in[tiles_at(params, tile, r) + (uint32_t)c], params->by);
            params->out[tiles_at(params, tile, r) + (uint32_t)c] = s.v[2];
        }
        south[c] = s;
    }
    tiles_may_fail(thread, params, tile);
}

/* One row; its first west and north-west neighbours come from the tile before; north NULL: zeros. */
HEDDLE_FN void tiles_cells_of(const uint32_t *in, uint32_t *out, const uint32_t *north, uint32_t cols, uint32_t w,
                              uint32_t nw)
{
    uint32_t c, n;
    for (c = 0; c < cols; c++) {
        n = north ? north[c] : 0u;
        w = out[c] = tiles_cell(n, w, nw, in[c]);
        nw = n;
    }
}

/* The carry: the corner above the tile's first row, then the last cells of its rows. */
HEDDLE_TILE(tiles_cells, tiles_params, params, tile, 4, TILES_MOST_ROWS * 4 + 4)
{
    const uint32_t *north = (const uint32_t *)heddle_wave_north(thread, tile);
    uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile), *last = (uint32_t *)tile->carry, r, c, nw;
    if (thread->index == 0) {
        const uint32_t *up = north;
        nw = last[0];
        last[0] = north ? north[tile->cols - 1u] : 0u;
        for (r = 0; r < tile->rows; r++) {
            const uint64_t at = tiles_at(params, tile, r);
            const uint32_t w = last[r + 1u];
            tiles_cells_of(params->in + at, params->out + at, up, tile->cols, w, nw);
            up = params->out + at;
            nw = w;
            last[r + 1u] = up[tile->cols - 1u];
        }
        for (c = 0; c < tile->cols; c++)
            south[c] = up[c];
    }
    tiles_may_fail(thread, params, tile);
}

HEDDLE_TILE(tiles_own, tiles_params, params, tile, 4, 0)
{
    uint32_t r;
    if (tiles_is_early(params->by, tile->row, tile->col))
        heddle_wave_hand(thread, tile);
    for (r = 0; r < tile->rows; r++)
        HEDDLE_EACH (c, tile->cols)
            params->out[tiles_at(params, tile, r) + (uint32_t)c] =
                tiles_mix(params->by, params->in[tiles_at(params, tile, r) + (uint32_t)c]);
    tiles_may_fail(thread, params, tile);
}

HEDDLE_TILES(tiles, tiles_params, TILES_BODIES)
