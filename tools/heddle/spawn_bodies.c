/* SPDX-License-Identifier: MIT */
/* spawn_bodies.c - the bodies of `heddle bench spawn`. With SPAWN_DENSE: in their other table. */
#include "spawn_bodies.h"

HEDDLE_BODY(spawn_empty, spawn_params, params, spawn_args, t) {}

HEDDLE_BODY(spawn_spin, spawn_params, params, spawn_args, t)
{
    const uint64_t begin = heddle_clock_ns();
    while (heddle_clock_ns() - begin < t->us * 1000ull)
        ;
}

HEDDLE_BODY(spawn_mark, spawn_params, params, spawn_mark_args, t)
{
    if (thread->index == 0)
        HEDDLE_ATOMIC_STORE(t->word, t->value, RELAXED, SYS);
}

#if defined(SPAWN_DENSE)
HEDDLE_POOL_TABLE_WARPS(spawned_dense, spawn_params, SPAWN_BODIES, 64)
#else
HEDDLE_POOL_TABLE(spawned_bench, spawn_params, SPAWN_BODIES)
#endif
