/* SPDX-License-Identifier: MIT */
/* prefix_wave.h - the tables of prefix.h as waves of tiles (heddle/tile.h), shared by sat and inthist. A plane is a
 * field of its own, an item of the wave. In the common part of C, C++ and CUDA.
 *
 * A band passes on its lowest row of the table, and carries the row sums at a tile's right edge to the next tile.
 *
 * One thread passes over a tile once: a running sum along the row, plus the row above. Many threads take two passes, as
 * in prefix.h. Whole warps do it in registers, as in prefix_tuned.h: all pixels of a tile at once, PREFIX_WAVE_ROWS
 * rows per warp, four columns per lane. Sums of columns pass from warp to warp. They give the row to pass on before any
 * cell of the table is stored, so only additions separate input from above and output below. The next tile's pixels are
 * copied to block-shared memory meanwhile. */
#ifndef PREFIX_WAVE_H
#define PREFIX_WAVE_H

#include "prefix_tuned.h"

#include "heddle/tile.h"

#define PREFIX_WAVE_ROWS 8                                      /* of a warp */
#define PREFIX_WAVE_WARPS 16                                    /* of a team, at most: sums of columns fit in 16 bits */
#define PREFIX_WAVE_BAND (PREFIX_WAVE_ROWS * PREFIX_WAVE_WARPS) /* rows of a band, at most */
#define PREFIX_WAVE_THREAD_ROWS 32u                             /* of a band, where threads are the workers */
#define PREFIX_WAVE_THREAD_COLS 1024u                           /* columns of a tile, likewise */
#define PREFIX_WAVE_PIECES (PREFIX_WAVE_ROWS * PREFIX_COLS / 16 / TILE_WARP) /* of 16 pixels, fetched by a lane */

/* Sums kept by a lane to the left of the tile: on lane i of row i of the warp; of the rows above the warp's, and above
 * the next warp's. */
typedef struct prefix_kept {
    uint32_t row, above, below, pad;
} prefix_kept;

/* The carry; one thread and few threads use `rows` only. */
typedef struct prefix_carry {
    uint32_t rows[PREFIX_WAVE_BAND];
    prefix_kept kept[PREFIX_WAVE_WARPS * TILE_WARP];
    uint32_t sums[PREFIX_WAVE_WARPS * TILE_WARP][2]; /* of columns, of each warp's rows; as in prefix_above */
    uint8_t pixels[PREFIX_WAVE_BAND][PREFIX_COLS];   /* of the next tile */
} prefix_carry;

/* Warps of a team for n planes. One warp more takes parts. The registers of a multiprocessor are in four files, so with 17 warps one
 * file serves five, and a thread has at most 96: enough for sat, unless it is traced, not for inthist. With 15 warps a thread has
 * 128, and with 7 there are two teams on a multiprocessor, which hide each other's waits when planes are many. */
HEDDLE_UNUSED static uint32_t prefix_team_warps(uint32_t n_planes, int has_few_registers)
{
    if (has_few_registers)
        return PREFIX_WAVE_WARPS;
    return n_planes < 8u ? 15u : 7u;
}

/* ---- one thread, or few ------------------------------------------------------------------------------------------ */

TILE_FN tile_rect prefix_rect(const heddle_tile *tile)
{
    const tile_rect t = {tile->row, tile->col, tile->rows, tile->cols};
    return t;
}

/* Row r of a tile: sums along the row, plus the row above if there is one. */
TILE_FN void prefix_wave_row(const uint8_t *pixels, uint32_t *out, const uint32_t *up, int cols, uint32_t *sum,
                             uint32_t low, uint32_t width, prefix_value value)
{
    uint32_t run = *sum;
    if (up)
        for (int c = 0; c < cols; c++) {
            run += value(pixels[c], low, width);
            out[c] = up[c] + run;
        }
    else
        for (int c = 0; c < cols; c++) {
            run += value(pixels[c], low, width);
            out[c] = run;
        }
    *sum = run;
}

/* Column c of a tile with summed rows; returns its lowest cell. */
TILE_FN uint32_t prefix_wave_column(const heddle_tile *tile, uint32_t *out, uint64_t stride, uint32_t sum)
{
    for (uint32_t r = 0; r < tile->rows; r++)
        sum = out[r * stride] += sum;
    return sum;
}

TILE_FN void prefix_wave_alone(const heddle_thread *thread, const prefix_record *params, heddle_tile *tile,
                               prefix_value value)
{
    prefix_carry *carry = (prefix_carry *)tile->carry;
    const tile_rect t = prefix_rect(tile);
    const uint32_t low = prefix_low(tile->item, params->n_planes);
    const uint32_t width = prefix_low(tile->item + 1u, params->n_planes) - low;
    const uint32_t *up = (const uint32_t *)heddle_wave_north(thread, tile);
    uint32_t *table = params->table + tile->item * params->plane_cells;
    for (int r = 0; r < (int)tile->rows; r++) {
        const uint64_t at = tile_row(&t, params->stride, r);
        prefix_fetch(params, &t, (int)tile->item, r + PREFIX_AHEAD);
        prefix_wave_row(params->pixels + at, table + at, up, (int)tile->cols, &carry->rows[r], low, width, value);
        up = table + at;
    }
    memcpy(heddle_wave_south(thread, tile), up, 4u * tile->cols);
}

TILE_FN void prefix_wave_few(const heddle_thread *thread, const prefix_record *params, heddle_tile *tile,
                             prefix_value value)
{
    prefix_carry *carry = (prefix_carry *)tile->carry;
    const tile_rect t = prefix_rect(tile);
    const uint32_t low = prefix_low(tile->item, params->n_planes);
    const uint32_t width = prefix_low(tile->item + 1u, params->n_planes) - low;
    uint32_t *table = params->table + tile->item * params->plane_cells + tile_row(&t, params->stride, 0), *south;
    const uint32_t *north;
    HEDDLE_EACH (r, tile->rows)
        prefix_wave_row(params->pixels + tile_row(&t, params->stride, r), table + (uint64_t)r * params->stride, 0,
                        (int)tile->cols, &carry->rows[r], low, width, value);
    heddle_team_barrier(thread);
    north = (const uint32_t *)heddle_wave_north(thread, tile);
    south = (uint32_t *)heddle_wave_south(thread, tile);
    HEDDLE_EACH (c, tile->cols)
        south[c] = prefix_wave_column(tile, table + c, params->stride, north ? north[c] : 0u);
}

/* ---- whole warps ------------------------------------------------------------------------------------------------- */

/* A lane's part of a tile. */
typedef struct prefix_lane {
    int col, cols;         /* its first column in the tile; the columns from there on; may be < 1 */
    int first, n;          /* the warp's first row in the tile, how many it has */
    int is_quad;           /* four columns lie in 4 and 16 aligned bytes */
    int is_staged;         /* pixels come through block-shared memory */
    const uint8_t *pixels; /* of its first row and column */
    uint32_t *out;
    uint64_t stride;
} prefix_lane;

TILE_FN prefix_lane prefix_lane_of(const warp *w, const prefix_record *params, const heddle_tile *tile)
{
    const tile_rect t = prefix_rect(tile);
    prefix_lane l;
    l.col = 4 * (int)w->at;
    l.cols = (int)tile->cols - l.col;
    l.first = (int)w->id * PREFIX_WAVE_ROWS;
    l.n = (int)tile->rows - l.first;
    l.n = l.n < 0 ? 0 : l.n < PREFIX_WAVE_ROWS ? l.n : PREFIX_WAVE_ROWS;
    l.stride = params->stride;
    l.is_quad = params->stride % 4u == 0;
    l.is_staged = tile->is_near && params->stride % 16u == 0 && tile->field_cols % 16u == 0;
    l.pixels = params->pixels + tile_row(&t, params->stride, l.first) + (uint32_t)l.col;
    l.out = params->table + tile->item * params->plane_cells + tile_row(&t, params->stride, l.first) + (uint32_t)l.col;
    return l;
}

/* Starts copying into the warp's rows the pixels of the tile that begins at column `col` of the field. */
TILE_FN void prefix_stage(const warp *w, const prefix_record *params, const heddle_tile *tile, const prefix_lane *l,
                          uint32_t col)
{
    prefix_carry *carry = (prefix_carry *)tile->carry;
    for (uint32_t k = 0; k < PREFIX_WAVE_PIECES; k++) {
        const uint32_t piece = k * TILE_WARP + w->at, r = piece / (PREFIX_COLS / 16u),
                       c = piece % (PREFIX_COLS / 16u) * 16u;
        if ((int)r < l->n && col + c < tile->field_cols)
            HEDDLE_COPY16(&carry->pixels[l->first + (int)r][c],
                          params->pixels + (tile->row + (uint64_t)l->first + r) * params->stride + col + c);
    }
}

/* Four pixels of a row in the tile. */
TILE_FN uint32_t prefix_four(const prefix_lane *l, const uint8_t *at)
{
    uint32_t four = 0;
    if (l->is_quad && l->cols >= 4)
        return *(const uint32_t *)(const void *)at;
    for (int c = 0; c < 4; c++)
        four |= c < l->cols ? (uint32_t)at[c] << 8 * c : 0u;
    return four;
}

/* Loads the lane's pixels; those of a band's first tile have not been staged before. Stages the next tile's. */
TILE_FN void prefix_take(warp *w, const prefix_record *params, const heddle_tile *tile, const prefix_lane *l,
                         uint32_t *pixels)
{
    const prefix_carry *carry = (const prefix_carry *)tile->carry;
    if (l->is_staged) {
        if (tile->col == 0)
            prefix_stage(w, params, tile, l, 0);
        HEDDLE_COPY_WAIT();
        warp_meet(w);
    }
    WARP_UNROLL
    for (int r = 0; r < PREFIX_WAVE_ROWS; r++) {
        pixels[r] = 0;
        if (r < l->n && l->cols > 0)
            pixels[r] = l->is_staged ? *(const uint32_t *)(const void *)&carry->pixels[l->first + r][l->col]
                                     : prefix_four(l, l->pixels + (uint64_t)r * l->stride);
    }
    if (l->is_staged) {
        warp_meet(w);
        prefix_stage(w, params, tile, l, tile->col + tile->cols);
    }
}

/* Sums of this lane's columns over the warps above this one, and including this one: columns 0 and 2, 1 and 3. */
TILE_FN void prefix_columns(const warp *w, prefix_carry *carry, const uint32_t *counts, uint32_t above[2],
                            uint32_t below[2])
{
    uint32_t even = 0, odd = 0;
    WARP_UNROLL
    for (int r = 0; r < PREFIX_WAVE_ROWS; r++) {
        even += counts[r] & 0x00ff00ffu;
        odd += counts[r] >> 8 & 0x00ff00ffu;
    }
    carry->sums[w->thread->index][0] = even;
    carry->sums[w->thread->index][1] = odd;
    heddle_team_barrier(w->thread);
    above[0] = above[1] = 0;
    for (uint32_t v = 0; v < w->id; v++) {
        above[0] += carry->sums[v * TILE_WARP + w->at][0];
        above[1] += carry->sums[v * TILE_WARP + w->at][1];
    }
    below[0] = above[0] + even;
    below[1] = above[1] + odd;
}

/* The prefix sums of rows with these column sums, in this lane's columns. *left: the sum to the left of the tile,
 * advanced to its right edge. */
TILE_FN warp_quad prefix_over(warp *w, const uint32_t sums[2], uint32_t *left)
{
    uint32_t run[4], scan;
    warp_quad q;
    run[0] = sums[0] & 0xffffu;
    run[1] = run[0] + (sums[1] & 0xffffu);
    run[2] = run[1] + (sums[0] >> 16);
    run[3] = run[2] + (sums[1] >> 16);
    scan = warp_scan(w, run[3]);
    for (int c = 0; c < 4; c++)
        q.v[c] = run[c] + scan - run[3] + *left;
    *left += warp_from(w, scan, TILE_WARP - 1);
    return q;
}

/* The lane's four words of the row from the band above, in 16 aligned bytes. */
TILE_FN warp_quad prefix_north(const prefix_lane *l, const uint32_t *north)
{
    warp_quad q = {{0, 0, 0, 0}};
    if (north && l->cols >= 4)
        return warp_load(north + l->col);
    for (int c = 0; c < 4 && north; c++)
        q.v[c] = c < l->cols ? north[l->col + c] : 0u;
    return q;
}

/* is_quad: `at` is aligned to 16 bytes. */
TILE_FN void prefix_put(const prefix_lane *l, int is_quad, uint32_t *at, warp_quad q)
{
    if (is_quad && l->cols >= 4)
        warp_store(at, q);
    else
        for (int c = 0; c < 4; c++)
            if (c < l->cols)
                at[c] = q.v[c];
}

/* Four pixels further down: the cells of the row above become those of this row. before: the row's sum to their left. */
TILE_FN void prefix_next(warp_quad *q, uint32_t before, uint32_t counts)
{
    q->v[0] = prefix_dot(counts, 0x00000001u, q->v[0] + before);
    q->v[1] = prefix_dot(counts, 0x00000101u, q->v[1] + before);
    q->v[2] = prefix_dot(counts, 0x00010101u, q->v[2] + before);
    q->v[3] = prefix_dot(counts, 0x01010101u, q->v[3] + before);
}

/* The rows of the warp, two in one scan, 16 bits each; q: the cells above the first. Lane r keeps the sum of row r. */
TILE_FN void prefix_rows(warp *w, const prefix_lane *l, const uint32_t *counts, warp_quad q, uint32_t *kept)
{
    WARP_UNROLL
    for (int r = 0; r < PREFIX_WAVE_ROWS; r += 2) {
        const uint32_t two = prefix_dot(counts[r], 0x01010101u, 0) | prefix_dot(counts[r + 1], 0x01010101u, 0) << 16;
        const uint32_t scan = warp_scan(w, two), last = warp_from(w, scan, TILE_WARP - 1), before = scan - two;
        prefix_next(&q, (before & 0xffffu) + warp_from(w, *kept, (uint32_t)r), counts[r]);
        if (r < l->n)
            prefix_put(l, l->is_quad, l->out + (uint64_t)r * l->stride, q);
        prefix_next(&q, (before >> 16) + warp_from(w, *kept, (uint32_t)r + 1u), counts[r + 1]);
        if (r + 1 < l->n)
            prefix_put(l, l->is_quad, l->out + ((uint64_t)r + 1u) * l->stride, q);
        *kept += (int)w->at == r ? last & 0xffffu : (int)w->at == r + 1 ? last >> 16 : 0u;
    }
}

/* Passes on the band's lowest row, by the last warp; the other warps only keep step. */
TILE_FN void prefix_south(warp *w, const heddle_thread *thread, heddle_tile *tile, const prefix_lane *l,
                          const uint32_t sums[2], uint32_t *left, const warp_quad *north)
{
    uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile);
    warp_quad q;
    if (w->id + 1u < w->n) {
        warp_skip(w, 2);
        return;
    }
    q = prefix_over(w, sums, left);
    for (int c = 0; c < 4; c++)
        q.v[c] += north->v[c];
    prefix_put(l, 1, south + l->col, q);
}

TILE_FN void prefix_wave_warps(const heddle_thread *thread, const prefix_record *params, heddle_tile *tile,
                               prefix_counts count)
{
    const prefix_bin bin = prefix_bin_of(tile->item, params->n_planes);
    prefix_carry *carry = (prefix_carry *)tile->carry;
    warp w = warp_of(thread);
    const prefix_lane l = prefix_lane_of(&w, params, tile);
    prefix_kept kept = carry->kept[thread->index];
    uint32_t counts[PREFIX_WAVE_ROWS], above[2], below[2];
    const int is_late = heddle_wave_would_wait(tile);
    warp_quad q, north;
    if (!is_late)
        north = prefix_north(&l, (const uint32_t *)heddle_wave_north(thread, tile));
    prefix_take(&w, params, tile, &l, counts);
    WARP_UNROLL
    for (int r = 0; r < PREFIX_WAVE_ROWS; r++)
        counts[r] = r < l.n ? count(counts[r], &bin) : 0u;
    prefix_columns(&w, carry, counts, above, below);
    q = prefix_over(&w, above, &kept.above);
    if (is_late)
        north = prefix_north(&l, (const uint32_t *)heddle_wave_north(thread, tile));
    prefix_south(&w, thread, tile, &l, below, &kept.below, &north);
    heddle_wave_hand(thread, tile);
    for (int c = 0; c < 4; c++)
        q.v[c] += north.v[c];
    prefix_rows(&w, &l, counts, q, &kept.row);
    carry->kept[thread->index] = kept;
}

/* The body. */
TILE_FN void prefix_wave(const heddle_thread *thread, const prefix_record *params, heddle_tile *tile,
                         prefix_value value, prefix_counts count)
{
    if (params->tuned && warp_fits(thread, PREFIX_WAVE_WARPS))
        prefix_wave_warps(thread, params, tile, count);
    else if (thread->team_size == 1)
        prefix_wave_alone(thread, params, tile, value);
    else
        prefix_wave_few(thread, params, tile, value);
}

#endif
