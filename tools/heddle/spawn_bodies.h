/* SPDX-License-Identifier: MIT */
/* spawn_bodies.h - the bodies of `heddle bench spawn`, and the same work as kernels of its own. */
#ifndef SPAWN_BODIES_H
#define SPAWN_BODIES_H

#include "heddle/task.h"

typedef struct spawn_params {
    uint32_t unused;
} spawn_params;
typedef struct spawn_args {
    uint32_t task, us;
} spawn_args;

typedef struct spawn_mark_args {
    uint32_t *word;
    uint32_t value;
} spawn_mark_args;

/* Nothing; for so many us; a value into a word. */
#define SPAWN_BODIES(X) X(spawn_empty, 0) X(spawn_spin, 0) X(spawn_mark, 0)
HEDDLE_ENUM(spawned_bench, SPAWN_BODIES)
HEDDLE_DECLARE(spawned_bench)
/* The same bodies, of which a multiprocessor holds as many warps as it can (spawn_dense.c). */
enum { spawned_dense_n_bodies = spawned_bench_n_bodies };
HEDDLE_DECLARE(spawned_dense)

#define SPAWN_STREAMS 32u

#if defined(__cplusplus)
extern "C" {
#endif
/* One kernel for each of n tasks of 128 threads that take us, over SPAWN_STREAMS streams in turn; waits for all. 0, or -1. */
int spawn_kernels(uint32_t n, uint32_t us);
/* Times in us of n words that the host writes to pinned memory and a waiting kernel answers there. */
int spawn_bare_trips(double *us, uint32_t n);
/* A kernel that does nothing, and a wait for its stream. */
int spawn_launch_and_wait(void);
/* The time in us from the launch of a kernel until the host sees what it writes first. Waits until it has ended. */
int spawn_kernel_start(double *us);
#if defined(__cplusplus)
}
#endif

#endif
