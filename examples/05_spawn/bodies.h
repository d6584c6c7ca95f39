/* SPDX-License-Identifier: MIT */
/* bodies.h - tasks that make tasks: how many ways are there to pay a sum with some coins? */
#ifndef BODIES_H
#define BODIES_H

#include "heddle/task.h"

typedef struct coins_params {
    const uint32_t *coin; /* largest first, from heddle_mem_new */
    uint64_t *ways;       /* a cell for each task that counts, taken in order by n_cells */
    uint32_t *n_cells;
    uint32_t n_coins;
} coins_params;

/* Ways to pay `sum` with the coins from `first` on, into ways[cell]. */
typedef struct coins_args {
    uint32_t sum, first, cell, parts; /* parts: the first of coins_add's two cells */
} coins_args;

#define COINS_BODIES(X) X(coins_count, 0) X(coins_add, 0)
HEDDLE_ENUM(coins, COINS_BODIES)
HEDDLE_DECLARE(coins)

#endif
