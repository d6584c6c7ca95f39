/* SPDX-License-Identifier: MIT */
/* openmp_bodies.c - implements openmp_bodies.h. */
#include "gpu/openmp_bodies.h"

HEDDLE_BODY(words_mix, words_params, params, words_args, t)
{
    if (t->end && t->end != t->to + t->n && thread->index == 0)
        heddle_task_fail(thread, 7);
    HEDDLE_EACH (i, t->n)
        t->to[i] = t->to[i] * 3 + (t->from ? t->from[i] : 0) + t->by;
}

#if defined(__CUDA_ARCH__)
#define TAKE(lock) (atomicExch(lock, 1u) == 0u)
#define LEAVE(lock) atomicExch(lock, 0u)
#define ORDER() __threadfence()
#else
#define TAKE(lock) (__atomic_exchange_n(lock, 1u, __ATOMIC_ACQUIRE) == 0u)
#define LEAVE(lock) __atomic_store_n(lock, 0u, __ATOMIC_RELEASE)
#define ORDER()
#endif

HEDDLE_BODY(words_global, words_params, params, words_args, t)
{
    if (thread->index == 0) {
        while (!TAKE(&params->omp.locks[1]))
            continue;
        ORDER();
    }
    heddle_team_barrier(thread);
    if (thread->index == 0)
        *(volatile uint64_t *)params->total += t->by;
    HEDDLE_EACH (i, WORDS)
        ((volatile uint64_t *)params->table)[i] += t->by;
    ORDER();
    heddle_team_barrier(thread);
    if (thread->index == 0)
        LEAVE(&params->omp.locks[1]);
}

HEDDLE_BODY(words_own, words_params, params, words_args, t)
{
    uint64_t *own = (uint64_t *)(void *)(params->omp.stack + thread->worker * params->omp.stack_bytes), good = 1;
    HEDDLE_EACH (i, params->omp.stack_bytes / 8)
        own[i] = t->by + (uint64_t)i;
    heddle_team_barrier(thread);
    if (thread->index)
        return;
    for (uint64_t i = 0; i < params->omp.stack_bytes / 8; i++)
        good &= own[i] == t->by + i;
    t->to[0] = good && thread->worker < params->omp.n_workers;
}

HEDDLE_BODY(words_parts, words_params, params, words_args, t)
{
    for (int k = 0; k < 2; k++) {
        const words_part *part = &(*params->parts)[k];
        HEDDLE_EACH (i, part->to ? part->n : 0)
            part->to[i] += t->by;
    }
}

HEDDLE_BODY(words_nothing, words_params, params, char, t) {}

HEDDLE_TABLE(words, words_params, WORDS_BODIES)
