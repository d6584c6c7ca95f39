/* SPDX-License-Identifier: MIT */
/* spawn_bodies.c - the bodies of `heddle bench spawn`. */
#include "spawn_bodies.h"

HEDDLE_BODY(spawn_empty, spawn_params, params, spawn_args, t) {}

HEDDLE_BODY(spawn_spin, spawn_params, params, spawn_args, t)
{
    const uint64_t begin = heddle_clock_ns();
    while (heddle_clock_ns() - begin < t->us * 1000ull)
        ;
}

HEDDLE_POOL_TABLE(spawned_bench, spawn_params, SPAWN_BODIES)
