/* SPDX-License-Identifier: MIT */
/* timed_bodies.c - implements timed_bodies.h. */
#include "timed_bodies.h"

#include <time.h>

HEDDLE_FN int64_t ticks(void)
{
#if defined(__CUDA_ARCH__)
    return clock64();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

HEDDLE_BODY(timed_empty, timed_params, params, timed_args, t) {}

HEDDLE_BODY(timed_spin, timed_params, params, timed_args, t)
{
    if (thread->index == 0) {
        int64_t begin = ticks();
        int64_t n = (int64_t)((float)(params->each_ns ? params->each_ns : t->ns) * params->ticks_per_ns);
        while (ticks() - begin < n)
            ;
    }
}

HEDDLE_BODY(timed_mix, timed_params, params, timed_args, t)
{
    if (thread->index == 0)
        params->cells[t->inout] = timed_mixed(params->cells, t);
}

HEDDLE_TABLE(timed, timed_params, TIMED_BODIES)
