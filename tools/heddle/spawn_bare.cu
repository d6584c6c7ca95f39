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

/* Pinned, for good; NULL: there is none. */
static volatile uint32_t *pinned_words(void)
{
    static void *words;
    if (!words && cudaHostAlloc(&words, 256, cudaHostAllocDefault) != cudaSuccess)
        words = nullptr;
    return (volatile uint32_t *)words;
}

/* Waits until *word is v. -1: a second has passed. */
static int await_word(const volatile uint32_t *word, uint32_t v)
{
    const uint64_t begin = heddle_host_clock_ns();
    while (*word != v)
        if (heddle_host_clock_ns() - begin > 1000000000ull)
            return -1;
    return 0;
}

static __global__ void mark(volatile uint32_t *word)
{
    if (threadIdx.x == 0)
        *word = 1;
}

int spawn_kernel_start(double *us)
{
    volatile uint32_t *word = pinned_words();
    const uint64_t begin = heddle_host_clock_ns();
    int failed;
    if (!word)
        return -1;
    *word = 0;
    mark<<<1, 128, 0, stream_of(0)>>>(word);
    failed = await_word(word, 1);
    *us = 1e-3 * (double)(heddle_host_clock_ns() - begin);
    return cudaStreamSynchronize(stream_of(0)) == cudaSuccess ? failed : -1;
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
    volatile uint32_t *words = pinned_words();
    int failed = 0;
    if (!words)
        return -1;
    words[0] = words[32] = 0;
    answer<<<1, 1, 0, stream_of(0)>>>(words, n);
    for (uint32_t i = 0; i < n && !failed; i++) {
        const uint64_t begin = heddle_host_clock_ns();
        words[0] = i + 1;
        failed = await_word(&words[32], i + 1);
        us[i] = 1e-3 * (double)(heddle_host_clock_ns() - begin);
    }
    return cudaStreamSynchronize(stream_of(0)) == cudaSuccess ? failed : -1;
}
