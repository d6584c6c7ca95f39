/* SPDX-License-Identifier: MIT */
/* cuda.h - stands in for nvcc: what core/planned.h, resident.h, serve.h and crew.h need of CUDA, for a host's C++ compiler.
 * Warps are those of warp.h, shared words those of explore.h. Must be included first. */
#ifndef MODEL_CUDA_H
#define MODEL_CUDA_H

extern "C" {
#include "explore.h"
#include "warp.h"
}

/* Accesses to words go through the warp. */
#define HEDDLE_EMULATED_BLOCK /* a worker is a block */
#define model_load warp_load
#define model_store warp_store
#define model_add warp_add
#define model_exchange warp_exchange
#define model_cas warp_cas
#define model_pause warp_nap
#include "heddle/task.h"

#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n_threads, n_blocks)
#define __clz(x) ((x) ? __builtin_clz((uint32_t)(x)) : 32)

#define WARP_LANES 2u /* threads of a block that run bodies */

struct __align__(16) uint4 { uint32_t x, y, z, w; };
/* A thread's number has the block's above its own. */
#define WARP_BLOCK 1024u
extern warp_index warp_block_size;     /* as the block takes it for: warps of the model may have fewer threads */
extern uint32_t warp_threads_of_block; /* that come to the barrier of all */
#define threadIdx (warp_index{warp_thread.x % WARP_BLOCK})
#define blockIdx (warp_index{warp_thread.x / WARP_BLOCK})
#define blockDim warp_block_size

#define __ballot_sync(mask, flag) warp_ballot((flag) != 0)
#define __all_sync(mask, flag) (warp_ballot((flag) != 0) == (mask))
#define __any_sync(mask, flag) (warp_ballot((flag) != 0) != 0)
#define __shfl_sync(mask, v, from) warp_shuffle(v, (uint32_t)(from))
#define __syncwarp() warp_sync()
#define __nanosleep(ns) warp_nap(MODEL_SITE(nanosleep))
static inline int __syncthreads_or(int) { return 0; }
static inline void __syncthreads() {}

/* Units (core/wire.h): a word of the model stands for all 16 bytes. It holds which of those stored in this schedule is there. */
#define WARP_MAX_UNITS 256u
extern hd_unit warp_units[WARP_MAX_UNITS]; /* 0: as the memory begins */
extern uint32_t warp_n_units;
static inline void model_unit_store(hd_unit *p, hd_unit u, const char *site)
{
    if (warp_n_units == WARP_MAX_UNITS)
        model_fail("more units than cuda.h has room for");
    warp_units[warp_n_units] = u;
    model_store(&p->tag, warp_n_units++, MODEL_RELEASE, site); /* behind a fence */
}
static inline hd_unit model_unit_load(const hd_unit *p, const char *site)
{
    return warp_units[warp_look(const_cast<uint32_t *>(&p->tag), MODEL_RELAXED, site)];
}

/* Asynchronous copies arrive when they are waited for, and not before. */
#define WARP_MAX_COPIES 4u
static struct {
    uint4 *to[WARP_MAX_COPIES];
    const uint4 *from[WARP_MAX_COPIES];
    uint32_t n;
} warp_copies[128];
static inline void warp_copy(uint4 *to, const uint4 *from)
{
    const uint32_t n = warp_copies[warp_thread.x].n++;
    if (n >= WARP_MAX_COPIES)
        model_fail("more copies on their way than cuda.h has room for");
    warp_copies[warp_thread.x].to[n] = to;
    warp_copies[warp_thread.x].from[n] = from;
}
static inline void warp_copy_wait(void)
{
    uint32_t i, n = warp_copies[warp_thread.x].n;
    for (i = 0; i < n; i++)
        *warp_copies[warp_thread.x].to[i] = *warp_copies[warp_thread.x].from[i];
    warp_copies[warp_thread.x].n = 0;
}
#define HD_COPY16(to, from) warp_copy((to), (from))
#define HD_COPY_WAIT() warp_copy_wait()

/* As in block.h, line by line, but a polling loop checks at once whether the run stops. A mark publishes what a barrier
 * ordered before it, and nothing else. */
#define HD_FEW_POLLS 0u
static inline void hd_bar_block(void) { warp_barrier(blockIdx.x ? 6u : 0u, warp_threads_of_block, 1); }
static inline void hd_bar_team(uint32_t n) { warp_barrier(1, n, 1); }
static inline void hd_ready_sync(uint32_t i, uint32_t n) { warp_barrier(2u + (i & 1u), n, 1); }
static inline void hd_ready_arrive(uint32_t i, uint32_t n) { warp_barrier(2u + (i & 1u), n, 0); }
static inline void hd_done_sync(uint32_t i, uint32_t n) { warp_barrier(4u + (i & 1u), n, 1); }
static inline void hd_done_arrive(uint32_t i, uint32_t n) { warp_barrier(4u + (i & 1u), n, 0); }
/* A warp of a team is one thread here. */
static inline void hd_team_meet(const heddle_thread *t)
{
    if (t->barrier)
        warp_barrier(t->barrier, t->team_size / 32u, 1);
}
#define hd_word(p) warp_load(const_cast<uint32_t *>(p), MODEL_ACQUIRE, MODEL_SITE(p))
#define hd_set_word(p, v) warp_store(p, v, MODEL_RELEASE, MODEL_SITE(p))
#define hd_mark(p, v) warp_store(p, v, MODEL_MARK, MODEL_SITE(p))
#define hd_word_pause(n) ((void)(n), warp_pause(MODEL_SITE(word)))

#include "heddle/core/planned.h"
#include "heddle/core/resident.h"

#endif
