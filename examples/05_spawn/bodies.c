/* SPDX-License-Identifier: MIT */
/* bodies.c - coins_count makes two tasks of its kind and goes on as coins_add when both have ended. The same file runs on
 * CPU threads and, compiled by nvcc, on thread blocks; one lane does the work here, as there is so little. */
#include "bodies.h"

/* It spawns at most 2 tasks: workers make sure that there is room for them before they run it. */
HEDDLE_SPAWNER(coins_count, coins_app, app, coins_args, a, 2)
{
    if (lane->index != 0)
        return;
    if (a->sum == 0 || a->first + 1 == app->n_coins) { /* the last coin is 1: one way */
        app->ways[a->cell] = 1;
        return;
    }
    uint32_t parts = HEDDLE_ATOMIC_ADD(app->n_cells, 2u, RELAXED, DEV), coin = app->coin[a->first];
    coins_args sum = {0, 0, a->cell, parts}, without = {a->sum, a->first + 1, parts, 0};
    coins_args with = {a->sum - coin, a->first, parts + 1, 0};
    heddle_continue(lane, coins_add, &sum, sizeof sum); /* before the first spawn: it says who waits for whom */
    heddle_spawn(lane, coins_count, &without, sizeof without, NULL, 0, 0);
    if (coin <= a->sum)
        heddle_spawn(lane, coins_count, &with, sizeof with, NULL, 0, 0);
    else
        app->ways[parts + 1] = 0;
}

HEDDLE_BODY(coins_add, coins_app, app, coins_args, a)
{
    if (lane->index == 0)
        app->ways[a->cell] = app->ways[a->parts] + app->ways[a->parts + 1];
}

HEDDLE_APP(coins, coins_app, COINS_BODIES)
