/* SPDX-License-Identifier: MIT */
/* clock.c - the host's clock: monotonic nanoseconds. */
#include "base/base.h"

#include <sched.h>
#include <time.h>

uint64_t heddle_host_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void heddle_host_yield(void) { (void)sched_yield(); }
