/* SPDX-License-Identifier: MIT */
/* spawn_bodies.c - implements spawn_bodies.h. */
#include "spawn_bodies.h"

#include <time.h>

/* One clock for all workers. */
HEDDLE_FN uint64_t clock_ns(void)
{
#if defined(__CUDA_ARCH__)
    return heddle_clock_ns();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

HEDDLE_BODY(spawn_empty, spawn_params, params, spawn_args, a) {}

/* A worker runs one body at a time, so its cell needs no atomics. */
HEDDLE_BODY(spawn_counted, spawn_params, params, spawn_args, a)
{
    if (thread->index == 0)
        params->cells[thread->worker].n++;
}

/* All threads spawn at once. The chain's next task goes first, so that there are always children to come. */
HEDDLE_SPAWNER(spawn_fan, spawn_params, params, spawn_args, a, SPAWN_FAN)
{
    const spawn_args next = {0, a->left - 1u, 0};
    HEDDLE_EACH (k, SPAWN_FAN)
        heddle_task_spawn(thread, k == 0 && a->left ? (uint32_t)spawn_fan : params->child, &next, sizeof next, 0, 0, 0);
}

/* A binary tree. */
HEDDLE_SPAWNER(spawn_pair, spawn_params, params, spawn_args, a, 2)
{
    const spawn_args next = {0, a->left - 1u, 0};
    if (thread->index == 0 && params->child == (uint32_t)spawn_counted)
        params->cells[thread->worker].n++;
    if (a->left)
        HEDDLE_EACH (k, 2)
            heddle_task_spawn(thread, spawn_pair, &next, sizeof next, 0, 0, 0);
}

/* Stays busy for a while, so that the next one has to start elsewhere or wait. */
HEDDLE_SPAWNER(spawn_relay, spawn_params, params, spawn_args, a, 1)
{
    const uint64_t now_ns = clock_ns();
    if (thread->index == 0) {
        spawn_args next = {0, a->left - 1u, thread->worker};
        spawn_sample *s = &params->samples[a->left];
        s->ns = (uint32_t)(now_ns - a->begin_ns);
        s->from = a->from;
        s->to = thread->worker;
        if (a->left) {
            next.begin_ns = clock_ns();
            heddle_task_spawn(thread, spawn_relay, &next, sizeof next, 0, 0, 0);
        }
        while (clock_ns() - now_ns < params->busy_ns)
            ;
    }
}

HEDDLE_TABLE(spawned, spawn_params, SPAWN_BODIES)
