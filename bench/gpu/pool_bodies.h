/* SPDX-License-Identifier: MIT */
/* pool_bodies.h - the bodies of bench_pool, and the same work as kernels of its own. */
#ifndef POOL_BODIES_BENCH_H
#define POOL_BODIES_BENCH_H

#include "heddle/task.h"

typedef struct pool_params {
    uint32_t unused;
} pool_params;
typedef struct pool_spin_args {
    uint32_t task, us;
} pool_spin_args;

#define POOL_BODIES(X) X(pool_empty, 0) X(pool_spin, 0)
HEDDLE_ENUM(pooled_bench, POOL_BODIES)
HEDDLE_DECLARE(pooled_bench)

#define POOL_STREAMS 32u

#if defined(__cplusplus)
extern "C" {
#endif
/* One kernel for each of n tasks of 128 threads that take us, over POOL_STREAMS streams in turn; waits for all. 0, or -1. */
int pool_kernels(uint32_t n, uint32_t us);
/* Times in us of n words that the host writes to pinned memory and a waiting kernel answers there. */
int pool_bare_trips(double *us, uint32_t n);
/* A kernel that does nothing, and a wait for its stream. */
int pool_launch_and_wait(void);
#if defined(__cplusplus)
}
#endif

#endif
