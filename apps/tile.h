/* SPDX-License-Identifier: MIT */
/* tile.h - shared by bodies over the cells of a row-major matrix: the record of a tile, and how lanes share its cells.
 * In the common part of C, C++ and CUDA.
 *
 * Up to 32 lanes of a warp take neighbouring columns, so that a GPU's loads are coalesced, and the warps take rows in
 * turn. A body calls its loop twice, once with tile_alone() for a lone lane: there the steps are constants, and the
 * compiler vectorizes the inner loop. */
#ifndef TILE_H
#define TILE_H

#include "heddle/task.h"

/* Inlined, so that the constants of tile_alone reach the loops. */
#define TILE_FN HEDDLE_FN __attribute__((always_inline))

#define TILE_WARP 32
#define TILE_LINE 64 /* bytes of a CPU's cache line */

/* A rectangle of cells of a matrix; rows or cols may be 0. */
typedef struct tile_rect {
    uint64_t row, col;
    uint32_t rows, cols;
} tile_rect;

/* Row r of a tile, in a matrix with rows `stride` cells apart. */
TILE_FN uint64_t tile_row(const tile_rect *t, uint64_t stride, int r)
{
    return (t->row + (uint64_t)r) * stride + t->col;
}

/* Prefetches n_bytes at p for writing, on a CPU: a tile's rows lie far apart in memory, and no hardware prefetcher
 * foresees the first touch of each. */
TILE_FN void tile_fetch(const void *p, uint64_t n_bytes)
{
#if defined(__CUDA_ARCH__)
    (void)p;
    (void)n_bytes;
#else
    for (uint64_t at = 0; at < n_bytes; at += TILE_LINE)
        __builtin_prefetch((const char *)p + at, 1);
#endif
}

/* The rows of a tile that a block of its task takes. */
TILE_FN tile_rect tile_of_block(const heddle_thread *thread, const tile_rect *t)
{
    const uint32_t each = (t->rows + thread->n_blocks - 1u) / thread->n_blocks;
    const uint32_t begin = thread->block * each < t->rows ? thread->block * each : t->rows;
    tile_rect part = *t;
    part.row += begin;
    part.rows = t->rows - begin < each ? t->rows - begin : each;
    return part;
}

/* A body for tasks apart: its argument has the app's record for this task alone, then the tile, which is divided among the task's
 * blocks. fn(thread, record, tile). */
#define TILE_APART(name, params_type, record_type, fn)       \
    typedef struct name##_args {                             \
        record_type record;                                  \
        tile_rect t;                                         \
    } name##_args;                                           \
    HEDDLE_BODY(name, params_type, params, name##_args, a)   \
    {                                                        \
        const tile_rect part = tile_of_block(thread, &a->t); \
        fn(thread, &a->record, &part);                       \
    }

/* A lane takes rows row, row + row_step, ... and in each of them columns col, col + col_step, ... */
typedef struct tile_share {
    int row, row_step, col, col_step;
} tile_share;

TILE_FN tile_share tile_alone(void)
{
    tile_share s = {0, 1, 0, 1};
    return s;
}

/* Lanes beyond the last whole warp get rows outside any tile. */
TILE_FN tile_share tile_share_of(const heddle_thread *thread)
{
    tile_share s;
    s.col_step = thread->team_size < TILE_WARP ? (int)thread->team_size : TILE_WARP;
    s.row_step = (int)thread->team_size / s.col_step;
    s.col = (int)thread->index % s.col_step;
    s.row = (int)thread->index / s.col_step;
    if (s.row >= s.row_step)
        s.row = 0x7fffffff;
    return s;
}

/* Defines the struct `name` of four neighbouring numbers, and load(p), which loads them from memory aligned to 16
 * bytes: one access of a GPU, of its type four_type. */
#if defined(__CUDA_ARCH__)
#define TILE_LOAD_FOUR(q, p, four_type)             \
    const four_type four = *(const four_type *)(p); \
    (q).v[0] = four.x;                              \
    (q).v[1] = four.y;                              \
    (q).v[2] = four.z;                              \
    (q).v[3] = four.w
#else
#define TILE_LOAD_FOUR(q, p, four_type) \
    for (int i = 0; i < 4; i++)         \
    (q).v[i] = (p)[i]
#endif
#define TILE_FOUR(name, load, type, four_type) \
    typedef struct name {                      \
        type v[4];                             \
    } name;                                    \
    TILE_FN name load(const type *p)           \
    {                                          \
        name q;                                \
        TILE_LOAD_FOUR(q, p, four_type);       \
        return q;                              \
    }

#endif
