/* SPDX-License-Identifier: MIT */
/* give_up.h - bounds every wait of the tests' kernels. Include it before anything that includes core/worker.h.
 *
 * Core waits only through HD_PAUSE; here the pause also checks the clock. Past the limit it stops the runs that the host
 * has registered (HD_STOP_TIMEOUT), and their words can be inspected. It kills the kernel 2 s later, in case a loop
 * ignores the stop word. */
#ifndef LITMUS_GIVE_UP_H
#define LITMUS_GIVE_UP_H

#include "heddle/core/atom.h"
#include "heddle/core/stop.h"

/* The deadline, and n runs to stop: their hd_fail words start at `fail`, `apart` bytes from one to the next. */
typedef struct give_up {
    unsigned long long at_ns;
    unsigned char *fail;
    uint32_t n_runs, apart;
} give_up;
static __device__ give_up give_up_now;

static __global__ void give_up_after(unsigned long long ns, hd_fail *fail, uint32_t n_runs, uint32_t apart)
{
    give_up_now = {hd_clock() + ns, (unsigned char *)fail, n_runs, apart};
}

#if defined(__CUDA_ARCH__)
static __device__ __noinline__ void give_up_stop(void)
{
    for (uint32_t i = 0; i < give_up_now.n_runs; i++)
        (void)hd_stop((hd_fail *)(give_up_now.fail + (size_t)i * give_up_now.apart), HD_STOP_TIMEOUT);
    if (hd_clock() > give_up_now.at_ns + 2000000000ull)
        __trap();
}
static __device__ __forceinline__ void give_up_pause(uint32_t n)
{
    hd_pause(n);
    if (hd_clock() >= give_up_now.at_ns)
        give_up_stop();
}
#undef HD_PAUSE
#define HD_PAUSE(n) give_up_pause(n)
#endif

#endif
