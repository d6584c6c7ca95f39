/* SPDX-License-Identifier: MIT */
/* pool_bodies.c - the bodies of bench_pool. Compiled as CUDA. */
#include "pool_bodies.h"

HEDDLE_BODY(pool_empty, pool_params, params, pool_spin_args, t) {}

HEDDLE_BODY(pool_spin, pool_params, params, pool_spin_args, t)
{
    const uint64_t begin = heddle_clock_ns();
    while (heddle_clock_ns() - begin < t->us * 1000ull)
        ;
}

HEDDLE_POOL_TABLE(pooled_bench, pool_params, POOL_BODIES)
