/* SPDX-License-Identifier: MIT */
/* openmp_bodies.c - see openmp_bodies.h. */
#include "gpu/openmp_bodies.h"

HEDDLE_BODY(words_mix, words_app, app, words_args, t)
{
    if (t->end && t->end != t->to + t->n && lane->index == 0)
        heddle_fail(lane, 7);
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

HEDDLE_BODY(words_global, words_app, app, words_args, t)
{
    if (lane->index == 0) {
        while (!TAKE(&app->omp.locks[1]))
            continue;
        ORDER();
    }
    heddle_barrier(lane);
    if (lane->index == 0)
        *(volatile uint64_t *)app->total += t->by;
    HEDDLE_EACH (i, WORDS)
        ((volatile uint64_t *)app->table)[i] += t->by;
    ORDER();
    heddle_barrier(lane);
    if (lane->index == 0)
        LEAVE(&app->omp.locks[1]);
}

HEDDLE_BODY(words_own, words_app, app, words_args, t)
{
    uint64_t *own = (uint64_t *)(void *)(app->omp.stack + lane->worker * app->omp.stack_bytes), good = 1;
    HEDDLE_EACH (i, app->omp.stack_bytes / 8)
        own[i] = t->by + (uint64_t)i;
    heddle_barrier(lane);
    if (lane->index)
        return;
    for (uint64_t i = 0; i < app->omp.stack_bytes / 8; i++)
        good &= own[i] == t->by + i;
    t->to[0] = good && lane->worker < app->omp.n_workers;
}

HEDDLE_BODY(words_parts, words_app, app, words_args, t)
{
    for (int k = 0; k < 2; k++) {
        const words_part *part = &(*app->parts)[k];
        HEDDLE_EACH (i, part->to ? part->n : 0)
            part->to[i] += t->by;
    }
}

HEDDLE_BODY(words_nothing, words_app, app, char, t) {}

HEDDLE_APP(words, words_app, WORDS_BODIES)
