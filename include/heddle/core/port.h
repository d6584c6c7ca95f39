/* SPDX-License-Identifier: MIT */
/* core/port.h - the common ground of C, C++ and CUDA under the scheduler.
 *
 * Core is compiled three times from the same lines: into the library for CPU threads, by nvcc into the user's
 * persistent kernel, and under the exploring shim of the model test (HEDDLE_MODEL). Only this file and atom.h know
 * which. No libc, no allocation, no logging here.
 *
 * It has the macros that declare core functions, layout assertions, the thread of a team, and the clock. It also has
 * the collective steps of the lanes that schedule together: a warp on a GPU, one lane on a CPU thread. */
#ifndef HEDDLE_CORE_PORT_H
#define HEDDLE_CORE_PORT_H

#include <stdint.h>

/* Incremented with every change of layout or protocol in core; checked when a table is registered. */
#define HEDDLE_CORE_VERSION 19u

/* HD_FN declares a core function, HD_BODY_FN a task's body, inlined where it is called. HD_SELDOM_FN declares a function that
 * stays a call on a GPU: inlined, code that seldom runs would crowd hot code out of the instruction cache. */
#if defined(__CUDACC__)
#define HD_FN __attribute__((unused)) static __host__ __device__ __forceinline__
#define HD_BODY_FN HD_FN
#define HD_SELDOM_FN __attribute__((unused)) static __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define HD_FN __attribute__((unused)) static inline
#define HD_BODY_FN __attribute__((unused, always_inline)) static inline
#define HD_SELDOM_FN HD_FN
#else
#define HD_FN static inline
#define HD_BODY_FN HD_FN
#define HD_SELDOM_FN HD_FN
#endif

#if defined(__cplusplus)
#define HD_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define HD_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* 1: workers are threads, or may be; 0: they are blocks of a GPU, or a test's fibers in place of a block. */
#if defined(__CUDA_ARCH__) || defined(HEDDLE_EMULATED_BLOCK)
#define HD_HOSTED 0
#else
#define HD_HOSTED 1
#endif

/* A shared word of two halves that change in one step (core/ticket.h). The model's words have 32 bits. */
#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE)
typedef uint32_t hd_pair_word;
#define HD_HALF_BITS 16
#else
typedef uint64_t hd_pair_word;
#define HD_HALF_BITS 32
#endif

/* Distance between words with different writers (two CPU lines: the neighbour is prefetched). */
#define HD_LINE 128u

/* One thread of the team that runs a body. On a GPU worker index is threadIdx.x and team_size is blockDim.x less the
 * scheduling warps; on a CPU worker 0 of 1; in an emulated block each is a thread of the host. */
typedef struct heddle_thread {
    uint32_t index, team_size;
    uint32_t worker;                   /* number of the worker, for per-worker scratch                         */
    uint32_t task;                     /* number of the task, for messages                                     */
    void *shared;                      /* block-shared arena: HEDDLE_REDUCE_BYTES, then the body's own bytes   */
    struct hd_fail *fail;              /* where heddle_task_fail leaves the first error                             */
    struct hd_emulated_team *emulated; /* emulated block only (its barrier), else NULL                         */
    uint32_t *failed; /* on a GPU worker: set by heddle_task_fail for the worker itself, else NULL    */
    struct hd_spawn_buffer *spawn_buffer; /* where the body puts the tasks that it spawns; NULL: it may not spawn   */
    uint32_t in_order;      /* 1 on a GPU under dispatch order, which runs parts of waves; a constant of the kernel */
    struct hd_notes *notes; /* where bands of a wave note what they do (core/notes.h); NULL: nowhere            */
    uint32_t block,
        n_blocks;     /* of a task of a pool: which of its blocks this is, and how many there are; else 0 of 1 */
    uint32_t barrier; /* on a GPU: the team's; 0: the team is a warp, and needs none */
} heddle_thread;

#if defined(__CUDACC__)
/* On a GPU: all threads of a team meet, at its own barrier, since a block may have more threads. */
HD_FN void hd_team_meet(const heddle_thread *thread)
{
#if defined(__CUDA_ARCH__)
    if (thread->barrier)
        asm volatile("bar.sync %0, %1;" ::"r"(thread->barrier), "r"(thread->team_size) : "memory");
    else
        __syncwarp();
#else
    (void)thread;
#endif
}
#endif

/* An emulated block's barrier, called by every thread. Host only. */
typedef struct hd_emulated_team {
    void (*barrier)(struct hd_emulated_team *team, uint32_t thread);
} hd_emulated_team;

/* ---- lanes that schedule together ----
 * "Lane 0:", "One lane:" or "All scheduling lanes:" at the head of a comment in core says which lanes call the function. */

#if defined(HEDDLE_MODEL)
/* The model test defines these itself, so that it can explore workers of two lanes. */
uint32_t hd_warp_lane(void);
uint32_t hd_warp_width(void);
uint32_t hd_ballot(int flag);
uint32_t hd_shuffle(uint32_t value, uint32_t from);
void hd_warp_sync(void);
#elif defined(__CUDA_ARCH__)
HD_FN uint32_t hd_warp_lane(void) { return threadIdx.x & 31u; }
HD_FN uint32_t hd_warp_width(void) { return 32u; }
/* Bit i of the result is lane i's flag. All 32 lanes of the scheduling warp call it. */
HD_FN uint32_t hd_ballot(int flag) { return __ballot_sync(0xffffffffu, flag); }
HD_FN uint32_t hd_shuffle(uint32_t value, uint32_t from) { return __shfl_sync(0xffffffffu, value, (int)from); }
HD_FN void hd_warp_sync(void) { __syncwarp(); }
#else
HD_FN uint32_t hd_warp_lane(void) { return 0u; }
HD_FN uint32_t hd_warp_width(void) { return 1u; }
HD_FN uint32_t hd_ballot(int flag) { return flag ? 1u : 0u; }
HD_FN uint32_t hd_shuffle(uint32_t value, uint32_t from)
{
    (void)from;
    return value;
}
HD_FN void hd_warp_sync(void) {}
#endif

/* All lanes of a worker that only schedules: a block's threads. They meet at hd_all_sync. */
#if defined(__CUDA_ARCH__)
HD_FN uint32_t hd_all_lane(void) { return threadIdx.x; }
HD_FN uint32_t hd_all_width(void) { return blockDim.x; }
HD_FN void hd_all_sync(void) { __syncthreads(); }
#else
HD_FN uint32_t hd_all_lane(void) { return hd_warp_lane(); }
HD_FN uint32_t hd_all_width(void) { return hd_warp_width(); }
HD_FN void hd_all_sync(void) { hd_warp_sync(); }
#endif

/* Nanoseconds of one clock for all workers: CLOCK_MONOTONIC, or the GPU's global timer (steps of 32). */
#if defined(__cplusplus)
extern "C"
#endif
    uint64_t
    heddle_host_clock_ns(void);

/* Yields the processor of a waiting thread. */
#if defined(__cplusplus)
extern "C"
#endif
    void
    heddle_host_yield(void);

HD_FN uint64_t hd_clock(void)
{
#if defined(__CUDA_ARCH__)
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
#else
    return heddle_host_clock_ns();
#endif
}

HD_FN uint32_t hd_popcount(uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__popc(x);
#else
    return (uint32_t)__builtin_popcount(x);
#endif
}

/* Index of the lowest set bit; x != 0. */
HD_FN uint32_t hd_lowest(uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__ffs((int)x) - 1u;
#else
    return (uint32_t)__builtin_ctz(x);
#endif
}

#endif
