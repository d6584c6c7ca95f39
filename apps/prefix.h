/* SPDX-License-Identifier: MIT */
/* prefix.h - two-dimensional prefix sums of one tile, shared by the bodies of sat and inthist. In the common part of C,
 * C++ and CUDA.
 *
 * Cell (r, c) of a table becomes the sum of value(pixel) over rows 0..r and columns 0..c, modulo 2^32. A tile needs the
 * last row of the tile above, the last column of the tile to the left, and the corner between them, all finished. One
 * task computes several tables over one picture (planes).
 *
 * One thread passes over each table once: a running sum along the row, plus the cell above. Many threads take two
 * passes: sums along rows, a row per thread; a barrier; sums down columns, a column per thread, neighbours side by side
 * in memory. Integer sums do not depend on the order. */
#ifndef PREFIX_H
#define PREFIX_H

#include "tile.h"

#define PREFIX_SHARED_BYTES 4096u /* of a block that runs tuned; see prefix_tuned.h */
#define PREFIX_AHEAD 8            /* rows that one thread prefetches */

typedef struct prefix_record {
    const uint8_t *pixels;
    uint32_t *table; /* n_planes tables, plane_cells apart                                         */
    uint64_t stride; /* cells from row to row                                                      */
    uint64_t plane_cells;
    uint32_t n_planes;
    uint32_t tuned; /* whole warps of threads use prefix_tuned.h                                      */
} prefix_record;

/* The value of a pixel in the plane of pixels low .. low + width - 1. */
typedef uint32_t (*prefix_value)(uint8_t pixel, uint32_t low, uint32_t width);

/* The first pixel of plane k of n: plane = pixel * n / 256, rounded down. */
TILE_FN uint32_t prefix_low(uint32_t k, uint32_t n) { return (256u * k + n - 1u) / n; }

/* Row r of the tile in plane p: sums along the row, starting from the cell to its left; with add_up, plus the row above. */
TILE_FN void prefix_row(const prefix_record *params, const tile_rect *t, int p, int r, int add_up, prefix_value value)
{
    const uint64_t at = tile_row(t, params->stride, r);
    const uint8_t *pixels = params->pixels + at;
    uint32_t *out = params->table + (uint64_t)p * params->plane_cells + at;
    const uint32_t *up = t->row + (uint64_t)r ? out - params->stride : 0;
    const uint32_t low = prefix_low((uint32_t)p, params->n_planes);
    const uint32_t width = prefix_low((uint32_t)p + 1u, params->n_planes) - low;
    const int cols = (int)t->cols;
    uint32_t run = t->col ? out[-1] - (up ? up[-1] : 0u) : 0u;
    if (add_up && up)
        for (int c = 0; c < cols; c++) {
            run += value(pixels[c], low, width);
            out[c] = up[c] + run;
        }
    else
        for (int c = 0; c < cols; c++) {
            run += value(pixels[c], low, width);
            out[c] = run;
        }
}

/* Prefetches row r of the tile in plane p; past the last row, a row of the next plane. */
TILE_FN void prefix_fetch(const prefix_record *params, const tile_rect *t, int p, int r)
{
    if (r >= (int)t->rows) {
        r -= (int)t->rows;
        p++;
    }
    if (p < (int)params->n_planes && r < (int)t->rows)
        tile_fetch(params->table + (uint64_t)p * params->plane_cells + tile_row(t, params->stride, r), 4u * t->cols);
}

/* Column c of the tile in plane p; its rows have been summed. */
TILE_FN void prefix_tile_column(const prefix_record *params, const tile_rect *t, int p, int c)
{
    uint32_t *out = params->table + (uint64_t)p * params->plane_cells + tile_row(t, params->stride, 0) + (uint64_t)c;
    uint32_t run = t->row ? *(out - params->stride) : 0u;
    for (int r = 0; r < (int)t->rows; r++)
        out[(uint64_t)r * params->stride] = run += out[(uint64_t)r * params->stride];
}

/* The body: all threads call it. */
TILE_FN void prefix_tile(const heddle_thread *thread, const prefix_record *params, const tile_rect *t,
                         prefix_value value)
{
    int n_planes = (int)params->n_planes, rows = (int)t->rows, cols = (int)t->cols;
    if (thread->team_size == 1) {
        for (int p = 0; p < n_planes; p++)
            for (int r = 0; r < rows; r++) {
                prefix_fetch(params, t, p, r + PREFIX_AHEAD);
                prefix_row(params, t, p, r, 1, value);
            }
        return;
    }
    HEDDLE_EACH (i, n_planes * rows)
        prefix_row(params, t, i / rows, i % rows, 0, value);
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, n_planes * cols)
        prefix_tile_column(params, t, i / cols, i % cols);
}

#endif
