/* SPDX-License-Identifier: MIT */
/* queens_bodies.c - one board: a task for each queen that its next row can have, or, from the cutoff on, a serial search. Many
 * lanes share that search: each takes a pair of columns for the next two rows, and another when it is done. */
#include "queens_bodies.h"

HEDDLE_FN void queens_count(const heddle_lane *lane, const queens_app *app, uint32_t n_ways)
{
    tally_cell *cell = tally_of(lane, app->cells);
    if (cell)
        cell->v[0] += n_ways;
}

HEDDLE_FN void queens_spawn(const heddle_lane *lane, const queens_app *app, const queens_board *board)
{
    const uint32_t open = queens_free(board, app->n);
    HEDDLE_EACH (k, app->n) {
        if (open >> k & 1u) {
            const queens_board next = queens_put(board, 1u << k);
            heddle_spawn(lane, queens_place, &next, sizeof next, NULL, 0, 0);
        }
    }
}

/* The ways with queens in columns pair % n and pair / n of the next two rows. */
HEDDLE_FN uint32_t queens_pair(const queens_app *app, const queens_board *board, uint32_t pair)
{
    const uint32_t first = 1u << pair % app->n, second = 1u << pair / app->n;
    queens_board next;
    if (!(queens_free(board, app->n) & first))
        return 0;
    next = queens_put(board, first);
    if (!(queens_free(&next, app->n) & second))
        return 0;
    next = queens_put(&next, second);
    return queens_search(&next, app->n);
}

HEDDLE_FN void queens_together(const heddle_lane *lane, const queens_app *app, const queens_board *board)
{
    queens_shared *s = (queens_shared *)heddle_shared(lane);
    const uint32_t n_pairs = app->n * app->n;
    uint32_t n_ways = 0, pair;
    if (lane->index == 0)
        s->next = s->found = 0;
    heddle_barrier(lane);
    while ((pair = HEDDLE_ATOMIC_ADD(&s->next, 1u, RELAXED, BLOCK)) < n_pairs)
        n_ways += queens_pair(app, board, pair);
    if (n_ways)
        (void)HEDDLE_ATOMIC_ADD(&s->found, n_ways, RELAXED, BLOCK);
    heddle_barrier(lane);
    if (lane->index == 0)
        queens_count(lane, app, s->found);
}

HEDDLE_SPAWNER(queens_place, queens_app, app, queens_board, board, QUEENS_MAX)
{
    if (board->row < app->cutoff)
        queens_spawn(lane, app, board);
    else if (lane->count > 1u && board->row + 2u <= app->n)
        queens_together(lane, app, board);
    else if (lane->index == 0)
        queens_count(lane, app, queens_search(board, app->n));
}

HEDDLE_APP(queens, queens_app, QUEENS_BODIES)
