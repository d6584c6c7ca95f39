/* SPDX-License-Identifier: MIT */
/* spawn_bare.cu - what a program without a pool would write: a kernel for each task (CUDA-HyperQ). */
#include "spawn_bodies.h"

#include <cuda_runtime.h>

static __global__ void spin(spawn_args t)
{
    const uint64_t begin = heddle_clock_ns();
    while (heddle_clock_ns() - begin < t.us * 1000ull)
        ;
}

static cudaStream_t stream_of(uint32_t i)
{
    static cudaStream_t streams[SPAWN_STREAMS];
    cudaStream_t *s = &streams[i % SPAWN_STREAMS];
    if (!*s && cudaStreamCreateWithFlags(s, cudaStreamNonBlocking) != cudaSuccess)
        *s = nullptr;
    return *s;
}

int spawn_kernels(uint32_t n, uint32_t us)
{
    for (uint32_t i = 0; i < n; i++) {
        const spawn_args t = {i, us};
        spin<<<1, 128, 0, stream_of(i)>>>(t);
    }
    for (uint32_t i = 0; i < SPAWN_STREAMS; i++)
        if (cudaStreamSynchronize(stream_of(i)) != cudaSuccess)
            return -1;
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int spawn_launch_and_wait(void)
{
    const spawn_args none = {0, 0};
    spin<<<1, 128, 0, stream_of(0)>>>(none);
    return cudaStreamSynchronize(stream_of(0)) == cudaSuccess ? 0 : -1;
}

/* Answers each number that appears at words[0], up to n, or for a second. */
static __global__ void answer(volatile uint32_t *words, uint32_t n)
{
    const uint64_t begin = heddle_clock_ns();
    uint32_t seen = 0;
    while (seen < n && heddle_clock_ns() - begin < 1000000000ull) {
        const uint32_t v = words[0];
        if (v != seen)
            words[32] = seen = v;
    }
}

int spawn_bare_trips(double *us, uint32_t n)
{
    volatile uint32_t *words;
    void *p;
    int failed = 0;
    if (cudaHostAlloc(&p, 256, cudaHostAllocDefault) != cudaSuccess)
        return -1;
    words = (volatile uint32_t *)p;
    words[0] = words[32] = 0;
    answer<<<1, 1, 0, stream_of(0)>>>(words, n);
    for (uint32_t i = 0; i < n && !failed; i++) {
        const uint64_t begin = heddle_host_clock_ns();
        words[0] = i + 1;
        while (words[32] != i + 1 && !failed)
            failed = heddle_host_clock_ns() - begin > 1000000000ull;
        us[i] = 1e-3 * (double)(heddle_host_clock_ns() - begin);
    }
    if (cudaStreamSynchronize(stream_of(0)) != cudaSuccess || cudaFreeHost(p) != cudaSuccess)
        return -1;
    return failed ? -1 : 0;
}
