/* SPDX-License-Identifier: MIT */
/* quad.h - for the tuned versions of bodies over floats: quads of four neighbouring numbers, one access of a GPU where
 * they are aligned to 16 bytes, and the rows of a tile as quads. In the common part of C, C++ and CUDA. */
#ifndef QUAD_H
#define QUAD_H

#include "tile.h"

/* Before a loop of constant length over registers, which cannot be indexed at run time. */
#if defined(__CUDACC__)
#define QUAD_UNROLL _Pragma("unroll")
#define QUAD_UNROLL_4 _Pragma("unroll 4")
#else
#define QUAD_UNROLL
#define QUAD_UNROLL_4
#endif

/* A function that is not inlined into each kernel: less to compile, less in the instruction cache, and its own registers. */
#if defined(__CUDACC__)
#define QUAD_APART __attribute__((unused)) static __host__ __device__ __noinline__
#else
#define QUAD_APART HEDDLE_FN
#endif

/* The team's block-shared bytes. Through a pointer from a record the compiler would emit slower generic accesses; on a GPU this is an
 * offset from where all dynamic shared memory begins, in which each team of a pool has its part. */
TILE_FN float *quad_shared(const heddle_thread *thread)
{
#if defined(__CUDA_ARCH__)
    extern __shared__ __align__(128) unsigned char quad_arena[];
    return (float *)(quad_arena +
                     (__cvta_generic_to_shared(heddle_team_shared(thread)) - __cvta_generic_to_shared(quad_arena)));
#else
    return (float *)heddle_team_shared(thread);
#endif
}

/* Returns v, hidden from the compiler. Values derived from it are recomputed here. Otherwise all values derived from
 * the thread's number, in all steps of a body, would be computed at its start and held in registers to its end. */
TILE_FN int quad_anew(uint32_t v)
{
    int same = (int)v;
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(same));
#endif
    return same;
}

#define QUADS_AT_ONCE 4 /* loads of a thread in flight before the first is used */

TILE_FOUR(quad, quad_load, float, float4)

TILE_FN void quad_store(float *p, quad q)
{
#if defined(__CUDA_ARCH__)
    *(float4 *)p = make_float4(q.v[0], q.v[1], q.v[2], q.v[3]);
#else
    for (int i = 0; i < 4; i++)
        p[i] = q.v[i];
#endif
}

/* Between a quad and four numbers in registers. */
TILE_FN void quad_get(float to[4], quad q)
{
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        to[i] = q.v[i];
}
TILE_FN quad quad_of(const float from[4])
{
    quad q;
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        q.v[i] = from[i];
    return q;
}

/* Loads only numbers lo .. hi - 1 of the four at p: the others may be another task's. The rest of the quad is 0. */
TILE_FN quad quad_load_part(const float *p, int lo, int hi)
{
    quad q;
    if (hi - lo == 4)
        return quad_load(p);
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        q.v[i] = i >= lo && i < hi ? p[i] : 0;
    return q;
}

TILE_FN void quad_store_part(float *p, quad q, int lo, int hi)
{
    if (hi - lo == 4) {
        quad_store(p, q);
        return;
    }
    QUAD_UNROLL
    for (int i = 0; i < 4; i++)
        if (i >= lo && i < hi)
            p[i] = q.v[i];
}

/* Copies from memory to shared memory, bypassing the registers on a GPU that can: four numbers, or one. Complete after
 * quad_arrived and a barrier; in batches, two batches later, after quad_arrived_but_2 and a barrier. */
TILE_FN void quad_send(float *to, const float *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    quad_store(to, quad_load(from));
#endif
}
TILE_FN void quad_send_1(float *to, const float *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}
/* Ends a batch, which may be empty. */
TILE_FN void quad_sent(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Waits for all copies of this thread. */
TILE_FN void quad_arrived(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/* Waits for all copies of this thread except its last two batches. */
TILE_FN void quad_arrived_but_2(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 2;" ::: "memory");
#endif
}

/* A tile's rows as quads at multiples of four; the first and last may be partial. */
typedef struct quad_span {
    int n, lo, hi; /* quads of a row; where the cells begin in the first, and end in the last */
} quad_span;

TILE_FN quad_span quads_of(const tile_rect *t)
{
    quad_span s;
    s.lo = (int)(t->col & 3u);
    s.n = (s.lo + (int)t->cols + 3) / 4;
    s.hi = s.lo + (int)t->cols - 4 * (s.n - 1);
    return s;
}
TILE_FN int quad_lo(const quad_span *s, int q) { return q == 0 ? s->lo : 0; }
TILE_FN int quad_hi(const quad_span *s, int q) { return q == s->n - 1 ? s->hi : 4; }

#endif
