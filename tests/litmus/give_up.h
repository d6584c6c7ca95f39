/* SPDX-License-Identifier: MIT */
/* give_up.h - no kernel of the tests waits for ever. Include it before anything that includes core/worker.h.
 *
 * Core waits only through HD_PAUSE, in functions that have the run as `r`, by pointer or by reference; here the pause
 * also looks at the time. Past
 * the limit the run is stopped (HD_STOP_TIMEOUT), so that its words can be looked at; 2 s later, if somebody waits in
 * a loop that does not look at the stop word, the kernel is killed. */
#ifndef LITMUS_GIVE_UP_H
#define LITMUS_GIVE_UP_H

#include "heddle/core/atom.h"
#include "heddle/core/stop.h"

static __device__ unsigned long long give_up_at_ns;

static __global__ void give_up_after(unsigned long long ns) { give_up_at_ns = hd_clock() + ns; }

#if defined(__CUDA_ARCH__)
static __device__ __forceinline__ void give_up_pause(const hd_run *r, uint32_t n)
{
    hd_pause(n);
    if (hd_clock() < give_up_at_ns)
        return;
    (void)hd_stop(&r->shared->fail, HD_STOP_TIMEOUT);
    if (hd_clock() > give_up_at_ns + 2000000000ull)
        __trap();
}
static __device__ __forceinline__ void give_up_pause(const hd_run &r, uint32_t n) { give_up_pause(&r, n); }
#undef HD_PAUSE
#define HD_PAUSE(n) give_up_pause(r, (n))
#endif

#endif
