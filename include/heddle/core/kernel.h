/* SPDX-License-Identifier: MIT */
/* core/kernel.h - the kernels of a table of bodies. nvcc only.
 *
 * Persistent kernels: each thread block is a worker until no task is left. One a dispatch, so that each holds only its
 * own protocol, and each with and without tracing. The switch over bodies is inlined, so any build system will do (no
 * relocatable device code); its price is that every body gets the registers of the hungriest.
 *
 * What their blocks do is in core/planned.h and resident.h. A table has the kernels that its bodies can use: dispatch plan,
 * unless one of them spawns, and ticket; with HEDDLE_BASELINES the papers' and distributed, too.
 *
 * All blocks must be resident: the grid is the number of workers, which the library sizes by the occupancy of the very
 * kernel, and the launch is cooperative, so that the driver refuses a grid that does not fit. The last worker out makes
 * the words ready for the next run, so that a captured launch can be replayed.
 *
 * Level kernels: a block is a task of a list; one for the whole table, one for each body alone.
 *
 * The library launches these kernels by driver handles that the table's stub looks up in the user's object: a kernel is
 * known only to the CUDA runtime it was linked with. */
#ifndef HEDDLE_CORE_KERNEL_H
#define HEDDLE_CORE_KERNEL_H

#include "heddle/core/planned.h"
#include "heddle/core/resident.h"

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
    if (TRACE)
        begin = hd_clock();
    if (task->body != HD_BODY_JOIN)
        Bodies()(&thread, task->body, l.params,
                 task->arg_bytes <= HD_INLINE_ARGS ? (const void *)task->args : l.args + (uint64_t)task->args_at * 16u);
    if (TRACE) {
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t sm;
            asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
            l.events[t].begin = begin;
            l.events[t].end = hd_clock();
            l.events[t].task = t;
            l.events[t].queue = sm;
        }
    }
}

#define HD_CASE_PERSISTENT_(table, dispatch)                                                             \
    case HD_KERNEL_PERSISTENT(dispatch, 0):                                                              \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_persistent<table##_dispatch_, dispatch, 0>); \
    case HD_KERNEL_PERSISTENT(dispatch, 1):                                                              \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_persistent<table##_dispatch_, dispatch, 1>);
#if defined(HEDDLE_BASELINES)
#define HD_CASE_BASELINES_(table)                       \
    HD_CASE_PERSISTENT_(table, HD_DISPATCH_DISTRIBUTED) \
    HD_CASE_PERSISTENT_(table, HD_DISPATCH_IQS)         \
    HD_CASE_PERSISTENT_(table, HD_DISPATCH_SCHEDULER)   \
    HD_CASE_PERSISTENT_(table, HD_DISPATCH_CENTRAL)
#else
#define HD_CASE_BASELINES_(table)
#endif

/* A list cannot be made of tasks that are not known before the run. */
template <typename Bodies, int TRACE> static int hd_find_planned(cudaFunction_t *f)
{
    if constexpr (Bodies::spawns != 0)
        return (int)cudaErrorInvalidValue;
    else
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_planned<Bodies, TRACE>);
}

/* A body alone, without the switch. */
#define HEDDLE_ALONE_X_(name, shared)                                                                               \
    struct name##_alone_ {                                                                                          \
        __device__ __forceinline__ void operator()(const heddle_thread *thread, uint32_t body, const void *params_, \
                                                   const void *args_) const                                         \
        {                                                                                                           \
            (void)body;                                                                                             \
            name##_run_(thread, params_, args_);                                                                    \
        }                                                                                                           \
    };
#define HEDDLE_ALONE_CASE_X_(name, shared)                                                     \
    case HD_KERNEL_ALONE(name, 0):                                                             \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<name##_alone_, 0>); \
    case HD_KERNEL_ALONE(name, 1):                                                             \
        return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<name##_alone_, 1>);

#define HEDDLE_CHILDREN_X_(name, shared) | name##_children_

#define HEDDLE_KERNEL_(table, LIST)                                                                                 \
    struct table##_dispatch_ {                                                                                      \
        enum { spawns = (0 LIST(HEDDLE_CHILDREN_X_)) != 0 };                                                        \
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
    static int table##_function_(uint32_t which, void **out)                                                        \
    {                                                                                                               \
        cudaFunction_t *f = (cudaFunction_t *)out;                                                                  \
        switch (which) {                                                                                            \
            HD_CASE_PERSISTENT_(table, HD_DISPATCH_TICKET)                                                          \
            HD_CASE_BASELINES_(table)                                                                               \
        case HD_KERNEL_PERSISTENT(HD_DISPATCH_PLAN, 0): return hd_find_planned<table##_dispatch_, 0>(f);            \
        case HD_KERNEL_PERSISTENT(HD_DISPATCH_PLAN, 1): return hd_find_planned<table##_dispatch_, 1>(f);            \
        case HD_KERNEL_LEVEL(0):                                                                                    \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<table##_dispatch_, 0>);              \
        case HD_KERNEL_LEVEL(1):                                                                                    \
            return (int)cudaGetFuncBySymbol(f, (const void *)hd_tasks_of_level<table##_dispatch_, 1>);              \
            LIST(HEDDLE_ALONE_CASE_X_)                                                                              \
        default: return (int)cudaErrorInvalidValue;                                                                 \
        }                                                                                                           \
    }                                                                                                               \
    static const heddle_stubs table##_stubs_ = {table##_function_};

#endif
