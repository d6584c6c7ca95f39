/* SPDX-License-Identifier: MIT */
/* cuda.h - what core/kernel.h needs of CUDA and nvcc, by the emulator of emu.h. Must be included first. */
#ifndef EMULATE_CUDA_H
#define EMULATE_CUDA_H

#include "emu.h"

#define HEDDLE_EMULATED_BLOCK
#define HD_COURIERS 6u /* of one block or several */
#define __device__
#define __global__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(n_threads, n_blocks)
#define __clz(x) ((x) ? __builtin_clz((uint32_t)(x)) : 32)
#define __align__(n) __attribute__((aligned(n)))
/* All fibers of a block share one copy of a block's variable, which therefore needs a name. */
#define __shared__ static_assert(false, "say HD_BLOCK_SHARED(type, name) or HD_BLOCK_ARENA(name)");
#define HD_BLOCK_SHARED(type, name) type &name = *(type *)emu_shared((uint32_t)sizeof(type))
#define HD_BLOCK_ARENA(name) unsigned char *const name = (unsigned char *)emu_arena()

struct __align__(8) uint2 { uint32_t x, y; };
struct __align__(16) uint4 { uint32_t x, y, z, w; };
#define threadIdx emu_thread
#define blockIdx emu_block
#define blockDim emu_block_size
#define gridDim emu_grid_size

#define __ballot_sync(mask, flag) (emu_check_mask((mask), EMU_SITE(mask)), emu_ballot((flag) != 0, EMU_SITE(ballot)))
#define __all_sync(mask, flag) (__ballot_sync(mask, flag) == 0xffffffffu)
#define __any_sync(mask, flag) (__ballot_sync(mask, flag) != 0)
#define __shfl_sync(mask, v, from) \
    (emu_check_mask((mask), EMU_SITE(mask)), emu_shuffle_any((v), (uint32_t)(from), EMU_SITE(shuffle)))
static inline uint32_t emu_shuffle_any(uint32_t v, uint32_t from, const char *site)
{
    return emu_shuffle(v, from, site);
}
static inline int emu_shuffle_any(int v, uint32_t from, const char *site)
{
    return (int)emu_shuffle((uint32_t)v, from, site);
}
static inline uint64_t emu_shuffle_any(uint64_t v, uint32_t from, const char *site)
{
    return emu_shuffle64(v, from, site);
}
/* A lane without a source lane gets its own value. */
#define __shfl_up_sync(mask, v, by) \
    __shfl_sync(mask, v, (emu_thread.x & 31u) >= (by) ? (emu_thread.x & 31u) - (by) : (emu_thread.x & 31u))
#define __shfl_down_sync(mask, v, by) \
    __shfl_sync(mask, v, (emu_thread.x & 31u) + (by) < 32u ? (emu_thread.x & 31u) + (by) : (emu_thread.x & 31u))
#define __syncwarp() emu_warp_sync(EMU_SITE(syncwarp))
#define __syncthreads() emu_bar_sync(0, emu_block_size.x, EMU_SITE(syncthreads))
#define __syncthreads_or(flag) emu_sync_or((flag) != 0, EMU_SITE(syncthreads_or))
#define __nanosleep(ns) emu_nap((ns), EMU_SITE(nanosleep))

/* Tables find kernels by it: kernel.h names it, nothing here uses it. */
typedef void *cudaFunction_t;
enum { cudaErrorInvalidValue = 1 };
static inline int cudaGetFuncBySymbol(cudaFunction_t *, const void *) { return cudaErrorInvalidValue; }

/* As in block.h, line by line. */
#define HD_FEW_POLLS 4u
#define hd_bar_block() emu_bar_sync(0, emu_block_size.x, EMU_SITE(block))
#define hd_bar_team(n) emu_bar_sync(1, (n), EMU_SITE(threads))
#define hd_team_meet(t) emu_team_meet((t)->barrier, (t)->team_size, EMU_SITE(team))
static inline void emu_team_meet(uint32_t barrier, uint32_t n, const char *site)
{
    if (barrier)
        emu_bar_sync(barrier, n, site);
    else
        emu_warp_sync(site);
}
#define hd_ready_sync(i, n) emu_bar_sync(2u + ((i)&1u), (n), EMU_SITE(ready))
#define hd_ready_arrive(i, n) emu_bar_arrive(2u + ((i)&1u), (n), EMU_SITE(ready))
#define hd_done_sync(i, n) emu_bar_sync(4u + ((i)&1u), (n), EMU_SITE(done))
#define hd_done_arrive(i, n) emu_bar_arrive(4u + ((i)&1u), (n), EMU_SITE(done))
#define hd_word(p) emu_load32((p), EMU_SITE(p))
#define hd_set_word(p, v) emu_store32((p), (v), EMU_SITE(p))
#define hd_mark(p, v) emu_store32((p), (v), EMU_SITE(p))
static inline void hd_word_pause(uint32_t n)
{
    if (n > HD_FEW_POLLS)
        __nanosleep(32);
}

#include "heddle/task.h"

#include "heddle/core/kernel.h"

#endif
