/* SPDX-License-Identifier: MIT */
/* queens_bodies.h - the number of ways to put n queens onto a board of n by n: record, list of the bodies, and the serial
 * search below the cutoff.
 *
 * A board is full down to some row. Bit k of a mask stands for column k of the next row. */
#ifndef QUEENS_BODIES_H
#define QUEENS_BODIES_H

#include "tally.h"

#define QUEENS_MAX 17

typedef struct queens_board {
    uint32_t columns, left, right; /* attacked columns: straight, and along the diagonals */
    uint32_t row;                  /* queens so far                                                    */
} queens_board;

typedef struct queens_params {
    tally_cell *cells;
    uint32_t n, cutoff; /* boards with fewer than `cutoff` rows are split into tasks */
} queens_params;

/* In shared memory, when many threads share a board: the next pair of columns to try, and the ways found. */
typedef struct queens_shared {
    uint32_t next, found;
} queens_shared;

#define QUEENS_BODIES(X) X(queens_place, sizeof(queens_shared)) /* argument: queens_board */
HEDDLE_ENUM(queens, QUEENS_BODIES)
HEDDLE_DECLARE(queens)

/* The columns where the next row's queen is not attacked. */
HEDDLE_FN uint32_t queens_free(const queens_board *b, uint32_t n)
{
    return ~(b->columns | b->left | b->right) & ((1u << n) - 1u);
}

HEDDLE_FN queens_board queens_put(const queens_board *b, uint32_t column_bit)
{
    queens_board next;
    next.columns = b->columns | column_bit;
    next.left = (b->left | column_bit) << 1;
    next.right = (b->right | column_bit) >> 1;
    next.row = b->row + 1u;
    return next;
}

/* The number of ways to fill the board. */
HEDDLE_FN uint32_t queens_search(const queens_board *board, uint32_t n)
{
    queens_board at[QUEENS_MAX];
    uint32_t open[QUEENS_MAX]; /* columns left to try, by row */
    uint32_t n_ways = 0, bit;
    int depth = 0;
    if (board->row >= n)
        return 1;
    at[0] = *board;
    open[0] = queens_free(board, n);
    while (depth >= 0) {
        if (at[depth].row + 1u == n) {
            n_ways += heddle_popcount(open[depth--]);
            continue;
        }
        bit = open[depth] & (0u - open[depth]);
        if (!bit) {
            depth--;
            continue;
        }
        open[depth] ^= bit;
        at[depth + 1] = queens_put(&at[depth], bit);
        depth++;
        open[depth] = queens_free(&at[depth], n);
    }
    return n_ways;
}

#endif
