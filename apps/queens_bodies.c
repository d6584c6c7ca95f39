/* SPDX-License-Identifier: MIT */
/* queens_bodies.c - one board: a task for each possible queen of its next row, or, from the cutoff on, a serial search.
 * Many threads share that search: each takes a pair of columns for the next two rows, then the next free pair. */
#include "queens_bodies.h"

HEDDLE_FN void queens_count(const heddle_thread *thread, const queens_params *params, uint32_t n_ways)
{
    tally_cell *cell = tally_of(thread, params->cells);
    if (cell)
        cell->v[0] += n_ways;
}

HEDDLE_FN void queens_spawn(const heddle_thread *thread, const queens_params *params, const queens_board *board)
{
    const uint32_t open = queens_free(board, params->n);
    HEDDLE_EACH (k, params->n) {
        if (open >> k & 1u) {
            const queens_board next = queens_put(board, 1u << k);
            heddle_task_spawn(thread, queens_place, &next, sizeof next, NULL, 0, 0);
        }
    }
}

/* The number of ways with queens in columns pair % n and pair / n of the next two rows. */
HEDDLE_FN uint32_t queens_pair(const queens_params *params, const queens_board *board, uint32_t pair)
{
    const uint32_t first = 1u << pair % params->n, second = 1u << pair / params->n;
    queens_board next;
    if (!(queens_free(board, params->n) & first))
        return 0;
    next = queens_put(board, first);
    if (!(queens_free(&next, params->n) & second))
        return 0;
    next = queens_put(&next, second);
    return queens_search(&next, params->n);
}

HEDDLE_FN void queens_together(const heddle_thread *thread, const queens_params *params, const queens_board *board)
{
    queens_shared *s = (queens_shared *)heddle_team_shared(thread);
    const uint32_t n_pairs = params->n * params->n;
    uint32_t n_ways = 0, pair;
    if (thread->index == 0)
        s->next = s->found = 0;
    heddle_team_barrier(thread);
    while ((pair = HEDDLE_ATOMIC_ADD(&s->next, 1u, RELAXED, BLOCK)) < n_pairs)
        n_ways += queens_pair(params, board, pair);
    if (n_ways)
        (void)HEDDLE_ATOMIC_ADD(&s->found, n_ways, RELAXED, BLOCK);
    heddle_team_barrier(thread);
    if (thread->index == 0)
        queens_count(thread, params, s->found);
}

HEDDLE_SPAWNER(queens_place, queens_params, params, queens_board, board, QUEENS_MAX)
{
    if (board->row < params->cutoff)
        queens_spawn(thread, params, board);
    else if (thread->team_size > 1u && board->row + 2u <= params->n)
        queens_together(thread, params, board);
    else if (thread->index == 0)
        queens_count(thread, params, queens_search(board, params->n));
}

HEDDLE_TABLE(queens, queens_params, QUEENS_BODIES)
