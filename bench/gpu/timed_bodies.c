/* SPDX-License-Identifier: MIT */
/* timed_bodies.c - see timed_bodies.h. */
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

HEDDLE_BODY(timed_empty, timed_app, app, timed_args, t) {}

HEDDLE_BODY(timed_spin, timed_app, app, timed_args, t)
{
    if (lane->index == 0) {
        int64_t begin = ticks();
        int64_t n = (int64_t)((float)(app->each_ns ? app->each_ns : t->ns) * app->ticks_per_ns);
        while (ticks() - begin < n)
            ;
    }
}

HEDDLE_BODY(timed_mix, timed_app, app, timed_args, t)
{
    if (lane->index == 0)
        app->cells[t->inout] = timed_mixed(app->cells, t);
}

HEDDLE_APP(timed, timed_app, TIMED_BODIES)
