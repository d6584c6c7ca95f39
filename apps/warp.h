/* SPDX-License-Identifier: MIT */
/* warp.h - for the tuned versions of bodies: operations of the 32 lanes of a warp, without a barrier on a GPU. In the
 * common part of C, C++ and CUDA.
 *
 * In an emulated block the lanes are threads. There each step is a barrier of all lanes, so all warps must take equally
 * many steps (warp_skip). Values pass through the memory of reductions, one half of it in odd steps, the other in even
 * ones. It has room for WARP_MAX_EMULATED lanes. */
#ifndef WARP_H
#define WARP_H

#include "tile.h"

#include <string.h>

#define WARP_ALL 0xffffffffu

/* Before a loop over values that must stay in registers. */
#if defined(__CUDACC__)
#define WARP_UNROLL _Pragma("unroll")
#else
#define WARP_UNROLL
#endif
#define WARP_MAX_EMULATED 128u

typedef struct warp {
    const heddle_thread *thread;
    uint32_t at;      /* this lane in its warp */
    uint32_t id, n;   /* this warp in the block, and how many there are */
    uint32_t n_steps; /* emulated block only */
} warp;

TILE_FN warp warp_of(const heddle_thread *thread)
{
    warp w;
    w.thread = thread;
    w.at = thread->index % TILE_WARP;
    w.id = thread->index / TILE_WARP;
    w.n = thread->team_size / TILE_WARP;
    w.n_steps = 0;
    return w;
}

/* Whether the lanes form whole warps, at most n_max. Lanes are emulated or real, never a lone one on a CPU. */
TILE_FN int warp_fits(const heddle_thread *thread, uint32_t n_max)
{
    if (thread->team_size % TILE_WARP != 0 || thread->team_size > n_max * TILE_WARP)
        return 0;
#if defined(__CUDA_ARCH__)
    return 1;
#else
    return thread->emulated && thread->team_size <= WARP_MAX_EMULATED;
#endif
}

#if !defined(__CUDA_ARCH__)
/* The values of this warp's lanes, by lane; valid for this step. */
TILE_FN const uint32_t *warp_exchange(warp *w, uint32_t mine)
{
    uint32_t *all = (uint32_t *)w->thread->shared + (w->n_steps++ % 2u ? WARP_MAX_EMULATED : 0u);
    all[w->thread->index] = mine;
    heddle_team_barrier(w->thread);
    return all + w->id * TILE_WARP;
}
#endif

/* Skips n_steps that other warps take. */
TILE_FN void warp_skip(warp *w, int n_steps)
{
#if defined(__CUDA_ARCH__)
    (void)w;
    (void)n_steps;
#else
    for (int i = 0; i < n_steps; i++)
        warp_exchange(w, 0);
#endif
}

/* The value of the lane before this one; undefined on lane 0. */
TILE_FN uint32_t warp_before(warp *w, uint32_t mine)
{
#if defined(__CUDA_ARCH__)
    return __shfl_up_sync(WARP_ALL, mine, 1);
#else
    return warp_exchange(w, mine)[w->at ? w->at - 1u : 0u];
#endif
}

/* The value of the lane `by` behind this one; undefined where there is none. */
TILE_FN uint32_t warp_behind(warp *w, uint32_t mine, uint32_t by)
{
#if defined(__CUDA_ARCH__)
    return __shfl_down_sync(WARP_ALL, mine, by);
#else
    return warp_exchange(w, mine)[w->at + by < TILE_WARP ? w->at + by : w->at];
#endif
}

TILE_FN uint64_t warp_behind_u64(warp *w, uint64_t mine, uint32_t by)
{
    uint64_t low = warp_behind(w, (uint32_t)mine, by);
    return low | (uint64_t)warp_behind(w, (uint32_t)(mine >> 32), by) << 32;
}

/* The value of lane `from`. */
TILE_FN uint32_t warp_from(warp *w, uint32_t mine, uint32_t from)
{
#if defined(__CUDA_ARCH__)
    return __shfl_sync(WARP_ALL, mine, (int)from);
#else
    return warp_exchange(w, mine)[from];
#endif
}

/* The same for numbers. */
TILE_FN uint32_t warp_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
TILE_FN float warp_number(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
TILE_FN float warp_before_f32(warp *w, float mine) { return warp_number(warp_before(w, warp_bits(mine))); }
TILE_FN float warp_from_f32(warp *w, float mine, uint32_t from)
{
    return warp_number(warp_from(w, warp_bits(mine), from));
}

/* Makes earlier stores of this warp's lanes visible to its other lanes. */
TILE_FN void warp_meet(warp *w)
{
#if defined(__CUDA_ARCH__)
    (void)w;
    __syncwarp();
#else
    warp_skip(w, 1);
#endif
}

/* The sum of the values of this lane and those before it, modulo 2^32. */
TILE_FN uint32_t warp_scan(warp *w, uint32_t mine)
{
#if defined(__CUDA_ARCH__)
    for (uint32_t by = 1; by < TILE_WARP; by *= 2) {
        uint32_t other = __shfl_up_sync(WARP_ALL, mine, by);
        mine += w->at >= by ? other : 0u;
    }
    return mine;
#else
    const uint32_t *all = warp_exchange(w, mine);
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= w->at; i++)
        sum += all[i];
    return sum;
#endif
}

/* Four words of global memory. */
TILE_FOUR(warp_quad, warp_load, uint32_t, uint4)

TILE_FN void warp_store(uint32_t *p, warp_quad q)
{
#if defined(__CUDA_ARCH__)
    /* In assembly: the compiler splits a plain one into four stores next to other stores. */
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(q.v[0]),
                 "r"(q.v[1]), "r"(q.v[2]), "r"(q.v[3])
                 : "memory");
#else
    for (int i = 0; i < 4; i++)
        p[i] = q.v[i];
#endif
}

#endif
