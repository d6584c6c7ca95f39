/* SPDX-License-Identifier: MIT */
/* core/kernel.h - the kernels of a table of bodies. nvcc only.
 *
 * They come in families (core/task.h), each with and without tracing. A table has those that its bodies can use:
 *
 *      workers   Each block is a worker until no task is left (core/planned.h, resident.h). Each dispatch is a variant, a
 *                kernel of its own that holds only its own protocol: plan, unless a body spawns, and ticket; with
 *                HEDDLE_BASELINES the papers' and rings, too. All blocks must be resident: the grid is the number of workers,
 *                sized by the occupancy of that very kernel, and the launch is cooperative, so that the driver refuses
 *                a grid that does not fit. The last worker out prepares the words for the next run, so that a captured
 *                launch can be replayed.
 *      level     A block is a task of a list. There is one kernel for the whole table, and one for each body alone; none if
 *                a body spawns, because no worker would run its children.
 *
 *      pool      Of pools, in a table that is for these (HEDDLE_POOL_TABLE); without tracing. One has workers, as above (core/serve.h). In the other a block is a task of one launch
 *                (core/batch.h); a body that spawns fails there.
 *      loop      Of spans of loops (core/chunk.h), in a table that is for these (HEDDLE_LOOP_TABLE), which has no others. One for each
 *                body alone, so that it has its own registers; without tracing.
 *
 * A table of waves (heddle/wave.h) has a kernel that takes parts in the order of adding. With HEDDLE_WAVE_TILES it also
 * has those of plan and ticket, and of levels those of a body alone. They write an event
 * for each part, if there is room. With HEDDLE_WAVE_TRACE one kernel more has bands that note what they do (core/notes.h);
 * traced runs take it.
 *
 * The switch over bodies is inlined, so any build system will do (no relocatable device code). The price: every body
 * gets the registers of the hungriest.
 *
 * The library launches these kernels by driver handles that the table's stub looks up in the user's object: a kernel is
 * known only to the CUDA runtime it was linked with. */
#ifndef HEDDLE_CORE_KERNEL_H
#define HEDDLE_CORE_KERNEL_H

#include "heddle/core/batch.h"
#include "heddle/core/chunk.h"
#include "heddle/core/planned.h"
#include "heddle/core/resident.h"
#include "heddle/core/serve.h"

/* Threads that a multiprocessor holds, at most. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define HD_SM_THREADS 1024
#elif defined(__CUDA_ARCH__) && ((__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200)
#define HD_SM_THREADS 1536
#else
#define HD_SM_THREADS 2048
#endif

/* ---- levels ---- */

template <typename Bodies, int TRACE> __global__ void hd_tasks_of_level(const __grid_constant__ hd_level l)
{
    HD_BLOCK_ARENA(hd_arena);
    const uint32_t t = l.list[blockIdx.x];
    const hd_task *task = l.tasks + t;
    heddle_thread thread = hd_block_thread(l.fail, hd_arena, blockDim.x, blockIdx.x);
    uint64_t begin = 0;
    thread.task = t;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (l.pdl) {
        cudaTriggerProgrammaticLaunchCompletion();
        cudaGridDependencySynchronize();
    }
#endif
    /* All threads or none: the word may change between their loads, and a body has barriers. */
    if (__syncthreads_or(HD_LOAD(&l.fail->stop, RELAXED, DEV) != HD_STOP_NOT))
        return;
    if (TRACE && l.events)
        begin = hd_clock();
    if (task->body != HD_BODY_JOIN)
        Bodies()(&thread, task->body, l.params,
                 task->arg_bytes <= HD_INLINE_ARGS ? (const void *)task->args : l.args + (uint64_t)task->args_at * 16u);
    if (TRACE && l.events) { /* waves have only this kernel */
        __syncthreads();
        if (threadIdx.x == 0) {
            l.events[t].begin = begin;
            l.events[t].end = hd_clock();
            l.events[t].task = t;
            l.events[t].queue = hd_block_sm();
        }
    }
}

/* ---- finding them ---- */

/* None for bodies that spawn: a list needs all tasks before the run. */
template <typename Bodies, int TRACE> static int hd_find_planned(cudaFunction_t *f)
{
    if constexpr (Bodies::spawns != 0 || !Bodies::tasks)
        return HD_NO_KERNEL;
    else
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_planned<Bodies, TRACE>);
}

template <typename Bodies, uint32_t DISPATCH, int TRACE, int IS_THERE> static int hd_find_dynamic(cudaFunction_t *f)
{
    if constexpr (IS_THERE)
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_persistent<Bodies, DISPATCH, TRACE>);
    else
        return HD_NO_KERNEL;
}

template <typename Bodies, int TRACE> static int hd_find_workers(uint32_t dispatch, cudaFunction_t *f)
{
    switch (dispatch) {
    case HD_DISPATCH_PLAN: return hd_find_planned<Bodies, TRACE>(f);
    case HD_DISPATCH_TICKET: return hd_find_dynamic<Bodies, HD_DISPATCH_TICKET, TRACE, Bodies::tasks>(f);
    case HD_DISPATCH_ORDER: return hd_find_dynamic<Bodies, HD_DISPATCH_ORDER, TRACE, Bodies::waves>(f);
#if defined(HEDDLE_BASELINES)
    case HD_DISPATCH_RINGS:
        return hd_find_dynamic < Bodies, HD_DISPATCH_RINGS, TRACE, Bodies::tasks && !Bodies::waves > (f);
    case HD_DISPATCH_IQS:
        return hd_find_dynamic < Bodies, HD_DISPATCH_IQS, TRACE, Bodies::tasks && !Bodies::waves > (f);
    case HD_DISPATCH_SCHEDULER:
        return hd_find_dynamic < Bodies, HD_DISPATCH_SCHEDULER, TRACE, Bodies::tasks && !Bodies::waves > (f);
    case HD_DISPATCH_CENTRAL:
        return hd_find_dynamic < Bodies, HD_DISPATCH_CENTRAL, TRACE, Bodies::tasks && !Bodies::waves > (f);
#endif
    default: return HD_NO_KERNEL;
    }
}

template <typename Bodies> static int hd_find_pool(uint32_t variant, cudaFunction_t *f)
{
    if constexpr (!Bodies::pools)
        return HD_NO_KERNEL;
    else
        return (int)cudaGetFuncBySymbol(f, variant == HD_POOL_WORKERS ? (const void *)hd_pool_workers<Bodies>
                                           : variant == HD_POOL_GRID  ? (const void *)hd_tasks_of_grid<Bodies>
                                                                      : (const void *)hd_tasks_of_batch<Bodies>);
}

/* Part: the bodies that the kernel runs, of Bodies. */
template <typename Bodies, typename Part, int TRACE> static int hd_find_level(cudaFunction_t *f)
{
    if constexpr (Bodies::spawns != 0 || !Bodies::tasks || (Bodies::waves && !Part::is_alone)) /* a wave has one body */
        return HD_NO_KERNEL;
    else
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<Part, TRACE>);
}

template <typename Bodies, typename Part> static int hd_find_loop(cudaFunction_t *f)
{
    if constexpr (!Bodies::loops)
        return HD_NO_KERNEL;
    else
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tiles_of_span<Part>);
}

#define HEDDLE_LOOP_CASE_X_(name, shared) \
    case name: return hd_find_loop<Bodies, name##_alone_>(f);

/* A body alone, without the switch. */
#define HEDDLE_ALONE_X_(name, shared)                                                                               \
    struct name##_alone_ {                                                                                          \
        enum { is_alone = 1 };                                                                                      \
        __device__ __forceinline__ void operator()(const heddle_thread *thread, uint32_t body, const void *params_, \
                                                   const void *args_) const                                         \
        {                                                                                                           \
            (void)body;                                                                                             \
            name##_run_(thread, params_, args_);                                                                    \
        }                                                                                                           \
    };
#define HEDDLE_ALONE_CASE_X_(name, shared) \
    case name:                             \
        return hd_find_level<Bodies, name##_alone_, TRACE>(f);

#define HEDDLE_CHILDREN_X_(name, shared) | name##_children_

#define HEDDLE_KERNEL_(table, LIST, kernels)                                                                        \
    struct table##_dispatch_ {                                                                                      \
        enum {                                                                                                      \
            spawns = (0 LIST(HEDDLE_CHILDREN_X_)) != 0,                                                             \
            tasks = ((kernels)&HD_KERNELS_TASKS) != 0,                                                              \
            waves = ((kernels)&HD_KERNELS_WAVES) != 0,                                                              \
            traces = ((kernels)&HD_KERNELS_TRACE) != 0,                                                             \
            pools = ((kernels)&HD_KERNELS_POOLS) != 0,                                                              \
            loops = ((kernels)&HD_KERNELS_LOOPS) != 0,                                                              \
            pool_warps = spawns ? 0 : (kernels) >> HD_KERNELS_WARPS,                                                \
            pool_threads = pool_warps == 48 ? 768 : 1024,                                                           \
            pool_blocks = pool_warps > 32 && 2 * pool_threads <= HD_SM_THREADS ? 2 : 1,                             \
            is_alone = 0                                                                                            \
        };                                                                                                          \
        __device__ __forceinline__ void operator()(const heddle_thread *thread, uint32_t body, const void *params_, \
                                                   const void *args_) const                                         \
        {                                                                                                           \
            switch (body) {                                                                                         \
                LIST(HEDDLE_CASE_X_)                                                                                \
            default: break;                                                                                         \
            }                                                                                                       \
        }                                                                                                           \
    };                                                                                                              \
    LIST(HEDDLE_ALONE_X_)                                                                                           \
    template <typename Bodies, int TRACE> static int table##_level_(uint32_t body, cudaFunction_t *f)               \
    {                                                                                                               \
        switch (body) {                                                                                             \
        case HD_NONE: return hd_find_level<Bodies, Bodies, TRACE>(f); LIST(HEDDLE_ALONE_CASE_X_)                    \
        default: return HD_NO_KERNEL;                                                                               \
        }                                                                                                           \
    }                                                                                                               \
    template <typename Bodies> static int table##_loop_(uint32_t body, cudaFunction_t *f)                           \
    {                                                                                                               \
        switch (body) {                                                                                             \
            LIST(HEDDLE_LOOP_CASE_X_)                                                                               \
        default: return HD_NO_KERNEL;                                                                               \
        }                                                                                                           \
    }                                                                                                               \
    static int table##_function_(uint32_t family, uint32_t variant, uint32_t trace, void **out)                     \
    {                                                                                                               \
        typedef table##_dispatch_ Bodies;                                                                           \
        cudaFunction_t *f = (cudaFunction_t *)out;                                                                  \
        switch (family) {                                                                                           \
        case HD_FAMILY_WORKERS:                                                                                     \
            if (trace && Bodies::traces && variant == HD_DISPATCH_ORDER)                                            \
                return hd_find_dynamic<Bodies, HD_DISPATCH_ORDER, HD_TRACE_BANDS, Bodies::traces>(f);               \
            return trace || Bodies::waves ? hd_find_workers<Bodies, 1>(variant, f)                                  \
                                          : hd_find_workers<Bodies, Bodies::waves>(variant, f);                     \
        case HD_FAMILY_LEVEL:                                                                                       \
            return trace || Bodies::waves ? table##_level_<Bodies, 1>(variant, f)                                   \
                                          : table##_level_<Bodies, Bodies::waves>(variant, f);                      \
        case HD_FAMILY_POOL: return hd_find_pool<Bodies>(variant, f);                                               \
        case HD_FAMILY_LOOP: return table##_loop_<Bodies>(variant, f);                                              \
        default: return HD_NO_KERNEL;                                                                               \
        }                                                                                                           \
    }                                                                                                               \
    static const heddle_stubs table##_stubs_ = {table##_function_};

#endif
