/* SPDX-License-Identifier: MIT */
/* border_bodies.h - a tile of a matrix that keeps only the borders of tiles. For dtw and sw.
 *
 * A cell (i, j) needs its left, upper and upper-left neighbour and two symbols, x[i] and y[j]. Of an n x m matrix one
 * row is kept (in each column the lowest cell computed so far) and one column (in each row the rightmost): n + m cells,
 * however many tiles there are. A tile loads its borders from them and stores its own in their place. The corner
 * between two tiles would be lost (the row has moved on by then), so the column is cut into records, one per row of
 * tiles: the app's sums over that row so far, the corner, then the cells.
 *
 * Inside a tile the cells of an anti-diagonal are independent: the threads share them, with one barrier per diagonal.
 * Diagonals live in block-shared memory, the cell of row i in slot i + 1. Slot 0 and the slot below the last row hold
 * the borders' cells, so no cell is a special case. y is stored backwards: along a diagonal x goes up while y goes
 * down, so neighbouring threads or vector lanes read both forwards. A lone thread computes diagonals in whole vectors:
 * BORDER_PAD more cells may be written after a diagonal and are never used.
 *
 * A file of bodies defines BORDER_CELL, the type of a cell inside a tile, before it includes this one. */
#ifndef BORDER_BODIES_H
#define BORDER_BODIES_H

#include "tile.h"

#define BORDER_SUMS_BYTES 64 /* for the app, at the start of a column record */
#define BORDER_PAD 8

/* Part of params: the matrix. Offsets count cells, except border_tile.record. */
typedef struct border_grid {
    int32_t *row;           /* m cells                                                                 */
    unsigned char *records; /* the column                                                              */
    int32_t *matrix;        /* n * m cells when all are kept, else NULL                                */
    const int16_t *x, *y;   /* n and m symbols; no task writes them                                    */
    uint64_t m;
    uint32_t tuned; /* whole warps of threads use border_strip.h */
    uint32_t sums;  /* 0: no sums over the cells are wanted; tuned bodies leave them at 0 */
} border_grid;

/* A task's arguments. */
typedef struct border_tile {
    uint64_t i, j;   /* its first cell                                                                 */
    uint64_t record; /* bytes from the start of the records                                            */
    uint32_t h, w;
} border_tile;

/* Block-shared memory of a tile; the app gets `more` values per row and per column. */
#define BORDER_SHARED_BYTES(cell_bytes, h, w, more) \
    ((uint32_t)(cell_bytes) *                       \
     (5u * ((h) + BORDER_PAD + 1u) + 2u * ((w) + BORDER_PAD) + (more) * ((h) + (w) + 2u * BORDER_PAD)))

/* The same for border_strip.h, independent of the width. */
#define STRIP_MAX_WARPS 8u
#define STRIP_MAX_ROWS 8192u
#define STRIP_PAD 96u         /* rows before the first and behind the last that may be read, and are not used */
#define STRIP_FOUND_BYTES 64u /* results of one warp */
#define STRIP_SHARED_BYTES(h) (STRIP_MAX_WARPS * STRIP_FOUND_BYTES + 8u * ((uint32_t)(h) + 2u * STRIP_PAD))

#ifdef BORDER_CELL

typedef struct border_block {
    BORDER_CELL *x, *y;               /* h symbols; w symbols, backwards                                        */
    BORDER_CELL *left, *top;          /* borders on entry; the tile's own behind the current diagonal */
    BORDER_CELL *diagonals;           /* three, in turn */
    BORDER_CELL *row_more, *col_more; /* the app's own: by row; by column, backwards */
    int32_t h, w;
    int32_t base; /* offset of the cells inside the tile: stored value = value - base */
} border_block;

/* The cells (row first + l, column k - first - l), l = 0 .. n - 1, of diagonal k. */
typedef struct border_span {
    int32_t k, first, n;
    int32_t column;                      /* index of cell 0's column in the arrays stored backwards */
    const BORDER_CELL *up, *left, *both; /* cell l's neighbours, at [l] */
    BORDER_CELL *out;                    /* the cell                                                   */
} border_span;

/* A thread's cells of a diagonal: from `thread` on, every team_size-th. Constants for a lone thread, once inlined.
 * Threads that reductions do not cover (HEDDLE_N_PARTIALS and up) get none. */
typedef struct border_share {
    int32_t thread, team_size;
} border_share;

TILE_FN border_share border_share_of(const heddle_thread *thread)
{
    border_share s;
    s.team_size = thread->team_size < HEDDLE_N_PARTIALS ? (int32_t)thread->team_size : HEDDLE_N_PARTIALS;
    s.thread = thread->index < HEDDLE_N_PARTIALS ? (int32_t)thread->index : INT32_MAX;
    return s;
}
TILE_FN border_share border_share_alone(void)
{
    border_share s;
    s.thread = 0;
    s.team_size = 1;
    return s;
}

/* End of the loop over a diagonal. */
TILE_FN int32_t border_end(border_share share, int32_t n)
{
    return share.team_size == 1 ? (n + BORDER_PAD - 1) / BORDER_PAD * BORDER_PAD : n;
}

HEDDLE_FN border_block border_block_of(const heddle_thread *thread, const border_tile *t, int32_t base)
{
    int32_t rows = (int32_t)t->h + BORDER_PAD + 1, columns = (int32_t)t->w + BORDER_PAD;
    border_block b;
    b.h = (int32_t)t->h;
    b.w = (int32_t)t->w;
    b.base = base;
    b.diagonals = (BORDER_CELL *)heddle_team_shared(thread);
    b.left = b.diagonals + 3 * rows;
    b.x = b.left + rows;
    b.top = b.x + rows;
    b.y = b.top + columns;
    b.row_more = b.y + columns;
    b.col_more = b.row_more + rows - 1;
    return b;
}

HEDDLE_FN int32_t *border_cells(const border_grid *g, const border_tile *t)
{
    return (int32_t *)(void *)(g->records + t->record + BORDER_SUMS_BYTES);
}

/* Diagonal k, from -2 on; three are live at a time. */
TILE_FN BORDER_CELL *border_diagonal(const border_block *b, int32_t k)
{
    return b->diagonals + (k + 3) % 3 * (b->h + BORDER_PAD + 1);
}

/* Loads borders and symbols, and the two diagonals before the first. A barrier must follow. */
HEDDLE_FN void border_enter(const heddle_thread *thread, const border_grid *g, const border_tile *t,
                            const border_block *b)
{
    const int32_t *row = g->row + t->j, *cells = border_cells(g, t);
    HEDDLE_EACH (i, b->h) {
        b->left[i + 1] = (BORDER_CELL)(cells[i + 1] - b->base);
        b->x[i] = (BORDER_CELL)g->x[t->i + (uint64_t)i];
    }
    HEDDLE_EACH (j, b->w) {
        b->top[j] = (BORDER_CELL)(row[j] - b->base);
        b->y[b->w - 1 - j] = (BORDER_CELL)g->y[t->j + (uint64_t)j];
    }
    HEDDLE_EACH (p, BORDER_PAD)
        b->x[b->h + p] = b->y[b->w + p] = 0;
    if (thread->index == 0) {
        b->left[0] = (BORDER_CELL)(row[b->w - 1] - b->base); /* the corner of the tile to the right */
        border_diagonal(b, -2)[0] = (BORDER_CELL)(cells[0] - b->base);
        border_diagonal(b, -1)[0] = (BORDER_CELL)(row[0] - b->base);
        border_diagonal(b, -1)[1] = (BORDER_CELL)(cells[1] - b->base);
    }
}

TILE_FN border_span border_span_of(const border_block *b, int32_t k)
{
    const BORDER_CELL *before = border_diagonal(b, k - 1), *two_before = border_diagonal(b, k - 2);
    border_span s;
    s.k = k;
    s.first = k < b->w ? 0 : k - b->w + 1;
    s.n = (k < b->h ? k + 1 : b->h) - s.first;
    s.column = b->w - 1 - k + s.first;
    s.up = before + s.first;
    s.left = s.up + 1;
    s.both = two_before + s.first;
    s.out = border_diagonal(b, k) + s.first + 1;
    return s;
}

/* One thread, after its cells of diagonal k: adds the borders' cells of diagonal k at its ends, and saves the tile's
 * own borders from diagonal k - 1, which all threads have finished. k runs to h + w - 1, one beyond the last diagonal. */
HEDDLE_FN void border_turn(const border_block *b, int32_t k)
{
    BORDER_CELL *now = border_diagonal(b, k);
    const BORDER_CELL *before = border_diagonal(b, k - 1);
    if (k + 1 < b->w)
        now[0] = b->top[k + 1];
    if (k + 1 < b->h)
        now[k + 2] = b->left[k + 2];
    if (k >= b->h)
        b->top[k - b->h] = before[b->h];
    if (k >= b->w)
        b->left[k - b->w + 1] = before[k - b->w + 1];
}

/* Stores the tile's borders for its neighbours, after the barrier behind the last border_turn. */
HEDDLE_FN void border_leave(const heddle_thread *thread, const border_grid *g, const border_tile *t,
                            const border_block *b)
{
    int32_t *row = g->row + t->j, *cells = border_cells(g, t);
    HEDDLE_EACH (i, b->h + 1)
        cells[i] = b->base + b->left[i];
    HEDDLE_EACH (j, b->w)
        row[j] = b->base + b->top[j];
}

/* Copies the thread's share of a diagonal to the matrix that is kept. */
HEDDLE_FN void border_keep(const border_grid *g, const border_tile *t, const border_block *b, const border_span *s,
                           border_share share)
{
    int32_t l;
    for (l = share.thread; l < s->n; l += share.team_size) {
        int32_t i = s->first + l;
        g->matrix[(t->i + (uint64_t)i) * g->m + t->j + (uint64_t)(s->k - i)] = b->base + s->out[l];
    }
}

/* One value a thread, combined over all of them. */
HEDDLE_FN int64_t border_reduce(const heddle_thread *thread, int64_t mine, int64_t none, heddle_op op)
{
    if (thread->team_size == 1)
        return mine;
    HEDDLE_EACH_PARTIAL (v)
        heddle_team_partial_i64(thread)[v] = v == (int)thread->index ? mine : none;
    return heddle_team_reduce_i64(thread, op);
}

#endif
#endif
