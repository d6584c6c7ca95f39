/* SPDX-License-Identifier: MIT */
/* heddle/body.h - what a body needs beside its own loops: functions that it calls, words that several threads touch, time,
 * and the warp. task.h includes it; take it alone for headers that are shared with other code.
 *
 * Each name is one of core's under a public name, with the same meaning in C, C++ and CUDA. Names of core itself (hd_,
 * HD_) may change with any version; these do not. What is here works inside of bodies and on host threads alike. */
#ifndef HEDDLE_BODY_H
#define HEDDLE_BODY_H

#include "heddle/core/atom.h"

/* ---- functions ------------------------------------------------------------------------------ */

/* Declares a function that bodies call: `HEDDLE_FN int f(int x) { ... }`. Static, inlined, and under nvcc for both sides.
 * HEDDLE_SELDOM_FN stays a call on a GPU: for long code that runs seldom, which would crowd the instruction cache. */
#define HEDDLE_FN HD_FN
#define HEDDLE_SELDOM_FN HD_SELDOM_FN
/* A parameter or variable that may be left unused. */
#define HEDDLE_UNUSED __attribute__((unused))
/* At file scope or in a function; ends with a semicolon of the caller's. */
#define HEDDLE_STATIC_ASSERT HD_STATIC_ASSERT
/* 1 where this pass of the compiler makes code for host threads, 0 where for a GPU: for #if and if. */
#define HEDDLE_ON_HOST HD_HOSTED
/* Words that different workers write stand this far apart. */
#define HEDDLE_LINE_BYTES HD_LINE

/* ---- words that several threads touch ---------------------------------------------------------
 *
 *     HEDDLE_ATOMIC_LOAD(p, order, scope)               the value
 *     HEDDLE_ATOMIC_STORE(p, v, order, scope)
 *     HEDDLE_ATOMIC_ADD(p, v, order, scope)             and SUB, EXCHANGE: the value before
 *     HEDDLE_ATOMIC_COUNT(p, order, scope)              adds 1 for nobody who wants the value before: quicker on a GPU
 *     HEDDLE_ATOMIC_CAS(p, expected, v, order, scope)   1 if *p was `expected` and is v now, else 0 (then RELAXED)
 *
 * order: RELAXED, ACQUIRE, RELEASE or ACQ_REL. scope: BLOCK (the threads of one worker), DEV (all workers) or SYS (workers
 * and the host while they run). Both are written as these words: nvcc's built-ins take nothing else. A word is a uint32_t;
 * LOAD to EXCHANGE also take a uint64_t. On a GPU, CAS has scope DEV, and COUNT has order RELEASE and scope DEV.
 *
 * Tasks are ordered by the graph: what a predecessor wrote needs none of this. These are for what tasks that may run
 * together share, and for the threads of one worker between two barriers. */
#define HEDDLE_ATOMIC_LOAD HD_LOAD
#define HEDDLE_ATOMIC_STORE HD_STORE
#define HEDDLE_ATOMIC_ADD HD_ADD
#define HEDDLE_ATOMIC_SUB HD_SUB
#define HEDDLE_ATOMIC_EXCHANGE HD_EXCH
#define HEDDLE_ATOMIC_COUNT HD_COUNT
#define HEDDLE_ATOMIC_CAS HD_CAS

/* The n-th fruitless look at a word in a row, n from 0: lets others go first, on a GPU for 32 to 512 ns. A body that waits
 * for another one holds its worker meanwhile, and waits for ever when that one needs the worker. */
HD_FN void heddle_pause(uint32_t n) { HD_PAUSE(n); }

/* HEDDLE_COPY16(to, from): 16 bytes, both aligned to that, into block-shared memory; on their way until the same thread says
 * HEDDLE_COPY_WAIT(), which waits for all that it has under way. On a host thread they are copied at once. */
#define HEDDLE_COPY16 HD_COPY16
#define HEDDLE_COPY_WAIT HD_COPY_WAIT

/* ---- arithmetic that GPUs have in fewer instructions than C says ---------------------------------- */

/* a + b or c, whichever is larger; the sum wraps. */
HD_FN int32_t heddle_add_max(int32_t a, int32_t b, int32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmax_s32(a, b, c);
#else
    const int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    return sum > c ? sum : c;
#endif
}

/* x == y ? a : b by arithmetic, where b - a is a number. As a choice it takes a predicate on a GPU; nvcc takes the same one for
 * all choices of unrolled code, and so they wait for one another. */
HD_FN int32_t heddle_if_equal(uint32_t x, uint32_t y, int32_t a, int32_t b)
{
#if defined(__CUDA_ARCH__)
    uint32_t differ; /* in assembly, because min(x ^ y, 1) is a comparison to nvcc */
    asm("min.u32 %0, %1, 1;" : "=r"(differ) : "r"(x ^ y));
    return (int32_t)differ * (b - a) + a;
#else
    return x == y ? a : b;
#endif
}

/* ---- time and bits ------------------------------------------------------------------------------ */

/* One clock for all workers of a device: CLOCK_MONOTONIC on the host, the global timer of a GPU (steps of 32 ns). */
HD_FN uint64_t heddle_clock_ns(void) { return hd_clock(); }

/* How many bits are set. */
HD_FN uint32_t heddle_popcount(uint32_t x) { return hd_popcount(x); }

/* ---- the warp ---------------------------------------------------------------------------------
 *
 * On a GPU 32 threads of a block that follow one another run in step; a lane is one of them. On a host thread a warp has one
 * lane, so that a loop from heddle_warp_lane() in steps of heddle_warp_width() is right on both. Each call but the first
 * two is made by all lanes of the warp. */
HD_FN uint32_t heddle_warp_lane(void) { return hd_warp_lane(); }
HD_FN uint32_t heddle_warp_width(void) { return hd_warp_width(); }
/* Bit i is the flag of lane i. */
HD_FN uint32_t heddle_warp_ballot(int flag) { return hd_ballot(flag); }
/* The value of lane `from`. */
HD_FN uint32_t heddle_warp_shuffle(uint32_t value, uint32_t from) { return hd_shuffle(value, from); }
/* What lanes wrote before is seen by the others after. */
HD_FN void heddle_warp_sync(void) { hd_warp_sync(); }

/* ---- CUDA only --------------------------------------------------------------------------------- */

#if defined(__CUDACC__)
/* Hardware barriers of a block from this number on are free for bodies; those below are the workers'. With task.h. */
#define HEDDLE_BARRIER_FREE HD_BAR_FREE
#endif

#endif
