/* SPDX-License-Identifier: MIT */
/* clock.h - the machine's monotonic clock, for both ends: times of a client's page and of the daemon are compared. */
#ifndef SHARE_CLOCK_H
#define SHARE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t share_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t share_now_ms(void) { return share_now_ns() / 1000000u; }

#endif
