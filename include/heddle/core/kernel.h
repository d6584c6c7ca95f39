/* SPDX-License-Identifier: MIT */
/* core/kernel.h - the persistent kernel of a table of bodies, and its host stubs. nvcc only.
 *
 * Each thread block is a worker: warp 0 takes and finishes tasks, all threads run bodies. The switch over
 * bodies is inlined, so any build system will do (no relocatable device code); its price is that every
 * body gets the registers of the hungriest.
 *
 * All blocks must be resident: the grid is the number of workers, which the library sizes by the
 * occupancy of this very kernel, and the launch is cooperative, so that the driver refuses a grid that
 * does not fit. The last worker out makes the words ready for the next run. */
#ifndef HEDDLE_CORE_KERNEL_H
#define HEDDLE_CORE_KERNEL_H

#include "heddle/core/worker.h"

/* Shared by the lanes of a block. */
typedef struct hd_block {
    hd_worker worker;
    uint32_t task;
} hd_block;

/* Warp 0: takes the next task and tells the block. */
static __device__ __forceinline__ void hd_block_next(const hd_run *r, hd_block *b)
{
    if (threadIdx.x == 0)
        b->task = hd_next(r, &b->worker);
}

static __device__ __forceinline__ void hd_block_leave(const hd_run *r, hd_block *b)
{
    uint32_t why = hd_stopped(r);
    if (hd_worker_end(r, &b->worker) && why == HD_STOP_DONE)
        hd_rearm(r, b->worker.run + 1u);
}

/* Runs a graph to its end. `dispatch` is the table's switch; it is a constant and inlined. */
template <typename Dispatch>
static __device__ __forceinline__ void hd_block_run(const hd_run &r, hd_block *b, void *arena, Dispatch dispatch)
{
    heddle_lane lane;
    lane.index = threadIdx.x;
    lane.count = blockDim.x;
    lane.worker = blockIdx.x;
    lane.shared = arena;
    lane.fail = &r.shared->fail;
    lane.team = nullptr;
    if (threadIdx.x == 0)
        hd_worker_begin(&r, &b->worker, blockIdx.x);
    for (;;) {
        hd_block_next(&r, b);
        __syncthreads(); /* the task is known, and what its taker acquired is visible to all lanes  */
        uint32_t t = b->task;
        if (t == HD_NONE)
            break;
        const hd_task *task = hd_task_at(&r, t);
        lane.task = t;
        if (task->body != HD_BODY_JOIN)
            dispatch(&lane, task->body, r.app, hd_args_at(&r, task));
        __syncthreads(); /* every lane's writes come before the release in finish                   */
        if (threadIdx.x < 32u)
            hd_finish(&r, &b->worker, t);
    }
    if (threadIdx.x == 0)
        hd_block_leave(&r, b);
}

#define HEDDLE_KERNEL_(app, LIST)                                                                                     \
    struct app##_dispatch_ {                                                                                          \
        __device__ __forceinline__ void operator()(const heddle_lane *lane, uint32_t body, const void *app_,          \
                                                   const void *args_) const                                           \
        {                                                                                                             \
            switch (body) {                                                                                           \
                LIST(HEDDLE_CASE_X_)                                                                                  \
            default: break;                                                                                           \
            }                                                                                                         \
        }                                                                                                             \
    };                                                                                                                \
    static __global__ void app##_persistent_(const hd_run r)                                                          \
    {                                                                                                                 \
        extern __shared__ __align__(128) unsigned char app##_arena_[];                                                \
        __shared__ hd_block block;                                                                                    \
        hd_block_run(r, &block, app##_arena_, app##_dispatch_());                                                     \
    }                                                                                                                 \
    static int app##_info_(heddle_kernel_info *out)                                                                   \
    {                                                                                                                 \
        cudaFuncAttributes a;                                                                                         \
        cudaError_t e = cudaFuncGetAttributes(&a, (const void *)app##_persistent_);                                   \
        if (e == cudaSuccess) {                                                                                       \
            out->registers = a.numRegs;                                                                               \
            out->static_shared_bytes = (int)a.sharedSizeBytes;                                                        \
            out->max_threads = a.maxThreadsPerBlock;                                                                  \
            out->max_dynamic_shared_bytes = a.maxDynamicSharedSizeBytes;                                              \
        }                                                                                                             \
        return (int)e;                                                                                                \
    }                                                                                                                 \
    static int app##_occupancy_(int *blocks_per_sm, int n_threads, size_t shared_bytes)                               \
    {                                                                                                                 \
        cudaError_t e = cudaFuncSetAttribute((const void *)app##_persistent_,                                         \
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);         \
        if (e == cudaSuccess)                                                                                         \
            e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks_per_sm, (const void *)app##_persistent_,         \
                                                              n_threads, shared_bytes);                               \
        return (int)e;                                                                                                \
    }                                                                                                                 \
    static int app##_launch_(const hd_run *r, uint32_t n_threads, size_t shared_bytes, void *stream)                  \
    {                                                                                                                 \
        void *args[1] = {(void *)r};                                                                                  \
        return (int)cudaLaunchCooperativeKernel((const void *)app##_persistent_, dim3(r->n_workers), dim3(n_threads), \
                                                args, shared_bytes, (cudaStream_t)stream);                            \
    }                                                                                                                 \
    static const heddle_stubs app##_stubs_ = {app##_info_, app##_occupancy_, app##_launch_};

#endif
