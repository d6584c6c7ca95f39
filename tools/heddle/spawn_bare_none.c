/* SPDX-License-Identifier: MIT */
/* spawn_bare_none.c - of spawn_bodies.h without CUDA: there is no GPU to measure. */
#include "spawn_bodies.h"

int spawn_kernels(uint32_t n, uint32_t us)
{
    (void)n;
    (void)us;
    return -1;
}

int spawn_bare_trips(double *us, uint32_t n)
{
    (void)us;
    (void)n;
    return -1;
}

int spawn_launch_and_wait(void) { return -1; }

int spawn_kernel_start(double *us)
{
    (void)us;
    return -1;
}
