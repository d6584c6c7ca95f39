/* SPDX-License-Identifier: MIT */
/* cuda.h - what core/kernel.h wants of CUDA, for a host's C++ compiler: warps are those of warp.h, shared words those of
 * explore.h. Include it first. It stands in for nvcc as far as kernel.h goes, and no further. */
#ifndef MODEL_CUDA_H
#define MODEL_CUDA_H

extern "C" {
#include "explore.h"
#include "warp.h"
}

/* Words are reached through the warp. */
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

struct __align__(16) uint4 { uint32_t x, y, z, w; };
static const warp_index blockIdx = {0}, blockDim = {0};
#define threadIdx warp_thread

#define __ballot_sync(mask, flag) warp_ballot((flag) != 0)
#define __all_sync(mask, flag) (warp_ballot((flag) != 0) == (mask))
#define __any_sync(mask, flag) (warp_ballot((flag) != 0) != 0)
#define __shfl_sync(mask, v, from) warp_shuffle(v, (uint32_t)(from))
#define __syncwarp() warp_sync()
#define __nanosleep(ns) warp_nap(MODEL_SITE(nanosleep))
static inline int __syncthreads_or(int) { return 0; }
static inline void __syncthreads() {}

/* As in block.h, line by line. Who waits asks at once whether the run stops. A mark hands on what a barrier has ordered
 * before it, and no more. */
#define HD_FEW_POLLS 0u
static inline void hd_bar_lanes(uint32_t n) { warp_barrier(1, n, 1); }
static inline void hd_ready_sync(uint32_t i, uint32_t n) { warp_barrier(2u + (i & 1u), n, 1); }
static inline void hd_ready_arrive(uint32_t i, uint32_t n) { warp_barrier(2u + (i & 1u), n, 0); }
static inline void hd_done_sync(uint32_t i, uint32_t n) { warp_barrier(4u + (i & 1u), n, 1); }
static inline void hd_done_arrive(uint32_t i, uint32_t n) { warp_barrier(4u + (i & 1u), n, 0); }
#define hd_word(p) warp_load(const_cast<uint32_t *>(p), MODEL_ACQUIRE, MODEL_SITE(p))
#define hd_set_word(p, v) warp_store(p, v, MODEL_RELEASE, MODEL_SITE(p))
#define hd_mark(p, v) warp_store(p, v, MODEL_MARK, MODEL_SITE(p))
#define hd_word_pause(n) ((void)(n), warp_pause(MODEL_SITE(word)))

#include "heddle/core/kernel.h"

#endif
