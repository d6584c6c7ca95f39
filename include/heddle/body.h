/* SPDX-License-Identifier: MIT */
/* heddle/body.h - what a body needs beside its own loops: declaring functions, atomics, small arithmetic, time, the warp.
 * task.h includes it; include it alone in headers that are shared with other code.
 *
 * Everything works in bodies and on host threads, with the same meaning in C, C++ and CUDA. These names are stable; names of
 * core itself (hd_, HD_) may change with any version. */
#ifndef HEDDLE_BODY_H
#define HEDDLE_BODY_H

#include "heddle/core/atom.h"

/* ---- functions ------------------------------------------------------------------------------ */

/* Declares a function that bodies call: `HEDDLE_FN int f(int x) { ... }`. Static, inlined, and under nvcc for host and device.
 * HEDDLE_SELDOM_FN stays a call on a GPU: for long code that runs seldom and, inlined, would crowd the instruction cache. */
#define HEDDLE_FN HD_FN
#define HEDDLE_SELDOM_FN HD_SELDOM_FN
/* A parameter or variable that may be left unused. */
#define HEDDLE_UNUSED __attribute__((unused))
/* At file scope or in a function; the caller writes the semicolon. */
#define HEDDLE_STATIC_ASSERT HD_STATIC_ASSERT
/* 1 where this pass of the compiler makes code for host threads, 0 for a GPU; usable in #if and if. */
#define HEDDLE_ON_HOST HD_HOSTED
/* Keep words that different workers write this far apart. */
#define HEDDLE_LINE_BYTES HD_LINE

/* ---- words that several threads touch ---------------------------------------------------------
 *
 *     HEDDLE_ATOMIC_LOAD(p, order, scope)               the value
 *     HEDDLE_ATOMIC_STORE(p, v, order, scope)
 *     HEDDLE_ATOMIC_ADD(p, v, order, scope)             and SUB, EXCHANGE: the value before
 *     HEDDLE_ATOMIC_COUNT(p, order, scope)              adds 1 and returns nothing: quicker on a GPU
 *     HEDDLE_ATOMIC_CAS(p, expected, v, order, scope)   1 if *p was `expected` and is v now, else 0 (then RELAXED)
 *
 * order: RELAXED, ACQUIRE, RELEASE or ACQ_REL. scope: BLOCK (the threads of one worker), DEV (all workers) or SYS (workers
 * and the host while they run). Both must be these literal words: nvcc's built-ins take nothing else. A word is a uint32_t;
 * LOAD to EXCHANGE also take a uint64_t. On a GPU, CAS has scope DEV, and COUNT has order RELEASE and scope DEV.
 *
 * A predecessor's writes need no atomics: the graph orders tasks. Use these for data shared by tasks that may run
 * concurrently, and by the threads of one worker between two barriers. */
#define HEDDLE_ATOMIC_LOAD HD_LOAD
#define HEDDLE_ATOMIC_STORE HD_STORE
#define HEDDLE_ATOMIC_ADD HD_ADD
#define HEDDLE_ATOMIC_SUB HD_SUB
#define HEDDLE_ATOMIC_EXCHANGE HD_EXCH
#define HEDDLE_ATOMIC_COUNT HD_COUNT
#define HEDDLE_ATOMIC_CAS HD_CAS

/* Backs off after the n-th failed poll in a row, n from 0: 32 to 512 ns on a GPU. A body that waits for another one occupies
 * its worker, and deadlocks if the other one needs that worker. */
HD_FN void heddle_pause(uint32_t n) { HD_PAUSE(n); }

/* HEDDLE_COPY16(to, from): copies 16 bytes into block-shared memory, both addresses aligned to 16. The copy may be under way
 * until the same thread calls HEDDLE_COPY_WAIT(), which waits for all its copies. A host thread copies at once. */
#define HEDDLE_COPY16 HD_COPY16
#define HEDDLE_COPY_WAIT HD_COPY_WAIT

/* ---- arithmetic for which GPUs have instructions -------------------------------------------------- */

/* max(a + b, c); the sum wraps. */
HD_FN int32_t heddle_add_max(int32_t a, int32_t b, int32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmax_s32(a, b, c);
#else
    const int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    return sum > c ? sum : c;
#endif
}

/* max(a + b, c, 0); the sum wraps. */
HD_FN int32_t heddle_add_max_0(int32_t a, int32_t b, int32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmax_s32_relu(a, b, c);
#else
    const int32_t larger = heddle_add_max(a, b, c);
    return larger > 0 ? larger : 0;
#endif
}

/* x == y ? a : b by arithmetic; b - a must not overflow. A select takes a predicate on a GPU, and nvcc uses the same one for
 * all selects of unrolled code, which serialises them. */
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

/* sum + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3 over the signed bytes of a and b; the sum wraps. With one byte of a 1 and the
 * others 0, this looks up one of the four numbers in b and adds it. */
HD_FN int32_t heddle_add_dot4(int32_t sum, uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return __dp4a((int32_t)a, (int32_t)b, sum);
#else
    uint32_t wrapped = (uint32_t)sum, i;
    for (i = 0; i < 32u; i += 8u)
        wrapped += (uint32_t)((int32_t)(int8_t)(uint8_t)(a >> i) * (int8_t)(uint8_t)(b >> i));
    return (int32_t)wrapped;
#endif
}

/* Selects four of the eight bytes of low (0 to 3) and high (4 to 7). Hexadecimal digit k of `which` is the number of the byte
 * that becomes byte k of the result; with 8 added, that byte's highest bit is repeated eight times. Only four digits count. */
HD_FN uint32_t heddle_pick_bytes(uint32_t low, uint32_t high, uint32_t which)
{
#if defined(__CUDA_ARCH__)
    uint32_t picked; /* in assembly, because __byte_perm does not repeat bits */
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(which));
    return picked;
#else
    const uint64_t both = (uint64_t)high << 32 | low;
    uint32_t picked = 0, i;
    for (i = 0; i < 4u; i++) {
        const uint32_t digit = which >> 4u * i, byte = (uint32_t)(both >> 8u * (digit & 7u)) & 255u;
        picked |= (digit & 8u ? 255u * (byte >> 7) : byte) << 8u * i;
    }
    return picked;
#endif
}

/* Words of two signed 16-bit numbers: each function works on the low halves and on the high halves separately. Sums wrap at 16
 * bits. One instruction each on GPUs from sm_90 on, a few before. */
HD_FN uint32_t heddle_2x16(int32_t low, int32_t high) { return (uint32_t)high << 16 | ((uint32_t)low & 0xffffu); }
HD_FN int32_t heddle_low16(uint32_t halves) { return (int16_t)(uint16_t)halves; }
HD_FN int32_t heddle_high16(uint32_t halves) { return (int16_t)(uint16_t)(halves >> 16); }

HD_FN uint32_t heddle_add_2x16(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return __vadd2(a, b);
#else
    return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
#endif
}

HD_FN uint32_t heddle_max_2x16(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return __vmaxs2(a, b);
#else
    const int32_t low_a = (int32_t)(a << 16), low_b = (int32_t)(b << 16);
    const uint32_t low = (uint32_t)(low_a > low_b ? low_a : low_b) >> 16;
    return ((int32_t)a > (int32_t)b ? a : b) >> 16 << 16 | low; /* the high halves decide the comparison of words */
#endif
}

/* max(a + b, c). */
HD_FN uint32_t heddle_add_max_2x16(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmax_s16x2(a, b, c);
#else
    return heddle_max_2x16(heddle_add_2x16(a, b), c);
#endif
}

/* max(a + b, c, 0). */
HD_FN uint32_t heddle_add_max_0_2x16(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__)
    return __viaddmax_s16x2_relu(a, b, c);
#else
    return heddle_max_2x16(heddle_add_max_2x16(a, b, c), 0u);
#endif
}

/* The `which` with which heddle_pick_bytes selects bytes `low` and `high` (0 to 7) and widens them to signed 16-bit halves. */
HD_FN uint32_t heddle_which_2x16(uint32_t low, uint32_t high)
{
    return low | (low | 8u) << 4 | high << 8 | (high | 8u) << 12;
}

/* ---- time and bits ------------------------------------------------------------------------------ */

/* The clock that all workers of a device share: CLOCK_MONOTONIC on the host, the global timer of a GPU (steps of 32 ns). */
HD_FN uint64_t heddle_clock_ns(void) { return hd_clock(); }

/* The number of bits set. */
HD_FN uint32_t heddle_popcount(uint32_t x) { return hd_popcount(x); }

/* ---- the warp ---------------------------------------------------------------------------------
 *
 * On a GPU a warp is 32 consecutive threads of a block; a lane is one of them. On a host thread a warp has one lane, so a
 * loop from heddle_warp_lane() in steps of heddle_warp_width() is right on both. All lanes of the warp must make each call
 * but the first two. */
HD_FN uint32_t heddle_warp_lane(void) { return hd_warp_lane(); }
HD_FN uint32_t heddle_warp_width(void) { return hd_warp_width(); }
/* Bit i is the flag of lane i. */
HD_FN uint32_t heddle_warp_ballot(int flag) { return hd_ballot(flag); }
/* The value of lane `from`. */
HD_FN uint32_t heddle_warp_shuffle(uint32_t value, uint32_t from) { return hd_shuffle(value, from); }
/* What a lane wrote before the call is visible to the others after it. */
HD_FN void heddle_warp_sync(void) { hd_warp_sync(); }

/* ---- CUDA only --------------------------------------------------------------------------------- */

#if defined(__CUDACC__)
/* Bodies may use a block's hardware barriers from this number on; the workers use those below. Needs task.h. */
#define HEDDLE_BARRIER_FREE HD_BAR_FREE
#endif

#endif
