/* SPDX-License-Identifier: MIT */
/* bodies.c - coins_count spawns two tasks of its kind and continues as coins_add when both have ended. The same file runs
 * on CPU threads and, compiled by nvcc, on thread blocks. One thread does the work, as there is so little. */
#include "bodies.h"

/* It spawns at most 2 tasks; workers reserve room for them before they run it. */
HEDDLE_SPAWNER(coins_count, coins_params, params, coins_args, a, 2)
{
    if (thread->index != 0)
        return;
    if (a->sum == 0 || a->first + 1 == params->n_coins) { /* the last coin is 1: one way */
        params->ways[a->cell] = 1;
        return;
    }
    uint32_t parts = HEDDLE_ATOMIC_ADD(params->n_cells, 2u, RELAXED, DEV), coin = params->coin[a->first];
    coins_args sum = {0, 0, a->cell, parts}, without = {a->sum, a->first + 1, parts, 0};
    coins_args with = {a->sum - coin, a->first, parts + 1, 0};
    heddle_task_continue(thread, coins_add, &sum, sizeof sum); /* first: coins_add waits for what is spawned after it */
    heddle_task_spawn(thread, coins_count, &without, sizeof without, NULL, 0, 0);
    if (coin <= a->sum)
        heddle_task_spawn(thread, coins_count, &with, sizeof with, NULL, 0, 0);
    else
        params->ways[parts + 1] = 0;
}

HEDDLE_BODY(coins_add, coins_params, params, coins_args, a)
{
    if (thread->index == 0)
        params->ways[a->cell] = params->ways[a->parts] + params->ways[a->parts + 1];
}

HEDDLE_TABLE(coins, coins_params, COINS_BODIES)
