/* SPDX-License-Identifier: MIT */
/* wrap.c - the wrappers: each hands what it was given to copy.h or account.h, and returns CUDA's own code. A call that is
 * only counted costs a load and an addition. Out-parameters of calls that failed are not touched. */
#include "hook.h"

#include "account.h"
#include "ahead.h"
#include "compute.h"
#include "copy.h"
#include "launch.h"
#include "task.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The driver, or a return: a program that is linked with one has it loaded. */
#define REAL(name)                                        \
    const share_driver *real = share_driver_loaded();     \
    if (!LIKELY(real) && !(real = share_driver_of(NULL))) \
        return CUDA_ERROR_NOT_FOUND;                      \
    if (!LIKELY(real->name))                              \
    return CUDA_ERROR_NOT_FOUND

static CUstream legacy(CUstream s) { return s ? s : CU_STREAM_LEGACY; }
static CUstream own(CUstream s) { return s ? s : CU_STREAM_PER_THREAD; }

/* ---- copies between the host and a device ---- */

#define COPY(name, params, args, way, device, host, returns, stream)                   \
    CUresult name params                                                               \
    {                                                                                  \
        CUresult r;                                                                    \
        REAL(name);                                                                    \
        if (n >= share_large) {                                                        \
            share_copy c = {way, returns, device, (void *)(uintptr_t)host, n, stream}; \
            if (share_copy_make(real, &c, &r))                                         \
                return r;                                                              \
        }                                                                              \
        r = real->name args;                                                           \
        share_ahead_others();                                                          \
        return r;                                                                      \
    }
COPY(cuMemcpyHtoD_v2, (CUdeviceptr d, const void *h, size_t n), (d, h, n), SHARE_IN, d, h, 0, CU_STREAM_LEGACY)
COPY(cuMemcpyHtoD_v2_ptds, (CUdeviceptr d, const void *h, size_t n), (d, h, n), SHARE_IN, d, h, 0, CU_STREAM_PER_THREAD)
COPY(cuMemcpyDtoH_v2, (void *h, CUdeviceptr d, size_t n), (h, d, n), SHARE_OUT, d, h, 0, CU_STREAM_LEGACY)
COPY(cuMemcpyDtoH_v2_ptds, (void *h, CUdeviceptr d, size_t n), (h, d, n), SHARE_OUT, d, h, 0, CU_STREAM_PER_THREAD)
COPY(cuMemcpyHtoDAsync_v2, (CUdeviceptr d, const void *h, size_t n, CUstream s), (d, h, n, s), SHARE_IN, d, h, 1,
     legacy(s))
COPY(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr d, const void *h, size_t n, CUstream s), (d, h, n, s), SHARE_IN, d, h, 1,
     own(s))
COPY(cuMemcpyDtoHAsync_v2, (void *h, CUdeviceptr d, size_t n, CUstream s), (h, d, n, s), SHARE_OUT, d, h, 1, legacy(s))
COPY(cuMemcpyDtoHAsync_v2_ptsz, (void *h, CUdeviceptr d, size_t n, CUstream s), (h, d, n, s), SHARE_OUT, d, h, 1,
     own(s))

#define UNIFIED(name, params, args, returns, where)                                   \
    CUresult name params                                                              \
    {                                                                                 \
        CUresult r;                                                                   \
        REAL(name);                                                                   \
        if (n >= share_large) {                                                       \
            share_copy c = {.may_return = returns, .n_bytes = n, .stream = where};    \
            if (share_copy_find(real, &c, to, from) && share_copy_make(real, &c, &r)) \
                return r;                                                             \
        }                                                                             \
        r = real->name args;                                                          \
        share_ahead_others();                                                         \
        return r;                                                                     \
    }
UNIFIED(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t n), (to, from, n), 0, CU_STREAM_LEGACY)
UNIFIED(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t n), (to, from, n), 0, CU_STREAM_PER_THREAD)
UNIFIED(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s), 1, legacy(s))
UNIFIED(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s), 1, own(s))

/* ---- copies of two and three dimensions: they are the driver's. Blocking ones wait for their turn, others where they are
 * recorded ---- */

/* 1: it crosses the link, and *c says how. */
#define CROSSES(copy, depth)                                                                              \
    (c.n_bytes = (copy)->WidthInBytes * (copy)->Height * (depth), c.n_bytes >= share_large) &&            \
        ((copy)->srcMemoryType == CU_MEMORYTYPE_HOST) != ((copy)->dstMemoryType == CU_MEMORYTYPE_HOST) && \
        (copy)->srcMemoryType != CU_MEMORYTYPE_UNIFIED && (copy)->dstMemoryType != CU_MEMORYTYPE_UNIFIED
#define SHAPED(name, params, args, depth, returns, where)                                   \
    CUresult name params                                                                    \
    {                                                                                       \
        share_copy c = {.may_return = returns, .stream = where};                            \
        share_turn turn;                                                                    \
        int has_turn = 0;                                                                   \
        CUresult r;                                                                         \
        REAL(name);                                                                         \
        if (copy && CROSSES(copy, depth)) {                                                 \
            c.direction = copy->srcMemoryType == CU_MEMORYTYPE_HOST ? SHARE_IN : SHARE_OUT; \
            has_turn = share_copy_turn(real, &c, &turn);                                    \
        }                                                                                   \
        r = real->name args;                                                                \
        share_ahead_others();                                                               \
        if (has_turn)                                                                       \
            share_copy_turned(real, &c, &turn);                                             \
        return r;                                                                           \
    }
#define FLAT(name, where) SHAPED(name, (const CUDA_MEMCPY2D *copy), (copy), 1, 0, where)
#define FLAT_ASYNC(name, where) SHAPED(name, (const CUDA_MEMCPY2D *copy, CUstream s), (copy, s), 1, 1, where)
#define DEEP(name, where) SHAPED(name, (const CUDA_MEMCPY3D *copy), (copy), copy->Depth, 0, where)
#define DEEP_ASYNC(name, where) SHAPED(name, (const CUDA_MEMCPY3D *copy, CUstream s), (copy, s), copy->Depth, 1, where)
FLAT(cuMemcpy2D_v2, CU_STREAM_LEGACY)
FLAT(cuMemcpy2D_v2_ptds, CU_STREAM_PER_THREAD)
FLAT(cuMemcpy2DUnaligned_v2, CU_STREAM_LEGACY)
FLAT(cuMemcpy2DUnaligned_v2_ptds, CU_STREAM_PER_THREAD)
FLAT_ASYNC(cuMemcpy2DAsync_v2, legacy(s))
FLAT_ASYNC(cuMemcpy2DAsync_v2_ptsz, own(s))
DEEP(cuMemcpy3D_v2, CU_STREAM_LEGACY)
DEEP(cuMemcpy3D_v2_ptds, CU_STREAM_PER_THREAD)
DEEP_ASYNC(cuMemcpy3DAsync_v2, legacy(s))
DEEP_ASYNC(cuMemcpy3DAsync_v2_ptsz, own(s))

/* ---- what is told of, and is the driver's ---- */

#define TOLD(name, params, args, tell) \
    CUresult name params               \
    {                                  \
        CUresult r;                    \
        REAL(name);                    \
        tell;                          \
        r = real->name args;           \
        share_ahead_others();          \
        return r;                      \
    }
#define NOTHING() (void)0
#define ALL() share_copy_waits(real, NULL)
#define STREAM(which) share_copy_waits(real, which(s))
#define WAITS(name, params, args, first, waited) \
    CUresult name params                         \
    {                                            \
        CUresult r;                              \
        REAL(name);                              \
        first;                                   \
        r = real->name args;                     \
        if (r == CUDA_SUCCESS)                   \
            waited;                              \
        share_task_synchronised();               \
        return r;                                \
    }
/* A launch into this stream, behind a gate where kernels ask. */
#define LAUNCH(call, where)                                                                           \
    do {                                                                                              \
        share_gate gate;                                                                              \
        CUresult made;                                                                                \
        int has_gate;                                                                                 \
        share_task_launch(where);                                                                     \
        has_gate = LIKELY(!share_client_kernels_ask()) ? 0 : share_compute_begin(real, where, &gate); \
        made = call;                                                                                  \
        share_ahead_others();                                                                         \
        if (has_gate)                                                                                 \
            share_compute_end(real, where, &gate);                                                    \
        return made;                                                                                  \
    } while (0)
#define LAUNCH_ARGS (f, gx, gy, gz, bx, by, bz, shared, s, params, extra)
#define LAUNCHES(name, where)                                                                                \
    CUresult name SHARE_LAUNCH_PARAMS                                                                        \
    {                                                                                                        \
        uint64_t begin_ns;                                                                                   \
        CUresult r;                                                                                          \
        REAL(name);                                                                                          \
        if (LIKELY(!share_launch_is_timed))                                                                  \
            LAUNCH(real->name LAUNCH_ARGS, where);                                                           \
        share_task_launch(where);                                                                            \
        begin_ns = share_launch_begin(real, where);                                                          \
        r = real->name LAUNCH_ARGS;                                                                          \
        share_ahead_others();                                                                                \
        if (begin_ns && r == CUDA_SUCCESS)                                                                   \
            share_task_kernel(share_launch_end(real, f, (uint64_t)gx *gy *gz, bx *by *bz, where, begin_ns)); \
        return r;                                                                                            \
    }
LAUNCHES(cuLaunchKernel, legacy(s))
LAUNCHES(cuLaunchKernel_ptsz, own(s))
#define LAUNCHES_ELSE(name, params, args, where) \
    CUresult name params                         \
    {                                            \
        REAL(name);                              \
        LAUNCH(real->name args, where);          \
    }
static CUstream stream_of(const void *config) { return config ? ((const CUlaunchConfig *)config)->hStream : NULL; }
LAUNCHES_ELSE(cuLaunchKernelEx, (const void *config, CUfunction f, void **params, void **extra),
              (config, f, params, extra), legacy(stream_of(config)))
LAUNCHES_ELSE(cuLaunchKernelEx_ptsz, (const void *config, CUfunction f, void **params, void **extra),
              (config, f, params, extra), own(stream_of(config)))
#define COOPERATIVE_ARGS (f, gx, gy, gz, bx, by, bz, shared, s, params)
LAUNCHES_ELSE(cuLaunchCooperativeKernel, SHARE_COOPERATIVE_PARAMS, COOPERATIVE_ARGS, legacy(s))
LAUNCHES_ELSE(cuLaunchCooperativeKernel_ptsz, SHARE_COOPERATIVE_PARAMS, COOPERATIVE_ARGS, own(s))

/* It may copy, too: it has no gate. */
static void tell_graph(CUstream s)
{
    share_task_launch(s);
    if (share_client_kernels_ask())
        share_compute_count(0);
}
TOLD(cuGraphLaunch, (CUgraphExec g, CUstream s), (g, s), tell_graph(legacy(s)))
TOLD(cuGraphLaunch_ptsz, (CUgraphExec g, CUstream s), (g, s), tell_graph(own(s)))
WAITS(cuStreamSynchronize, (CUstream s), (s), STREAM(legacy), share_task_waited(legacy(s), 0))
WAITS(cuStreamSynchronize_ptsz, (CUstream s), (s), STREAM(own), share_task_waited(own(s), 0))
WAITS(cuEventSynchronize, (CUevent e), (e), NOTHING(), NOTHING()) /* it may be of any stream */
WAITS(cuCtxSynchronize, (void), (), ALL(), share_task_waited(NULL, 0))
WAITS(cuCtxSynchronize_v2, (CUcontext c), (c), NOTHING(), share_task_waited(NULL, 0))
TOLD(cuLaunchHostFunc, (CUstream s, void (*f)(void *), void *data), (s, f, data), NOTHING())
TOLD(cuLaunchHostFunc_ptsz, (CUstream s, void (*f)(void *), void *data), (s, f, data), NOTHING())
TOLD(cuStreamAddCallback, SHARE_CALLBACK_PARAMS, (s, f, data, flags), NOTHING())
TOLD(cuStreamAddCallback_ptsz, SHARE_CALLBACK_PARAMS, (s, f, data, flags), NOTHING())
TOLD(cuEventRecord, (CUevent e, CUstream s), (e, s), NOTHING())
TOLD(cuEventRecord_ptsz, (CUevent e, CUstream s), (e, s), NOTHING())
TOLD(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags), (e, s, flags), NOTHING())
TOLD(cuEventRecordWithFlags_ptsz, (CUevent e, CUstream s, unsigned flags), (e, s, flags), NOTHING())
TOLD(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), (s, e, flags), NOTHING())
TOLD(cuStreamWaitEvent_ptsz, (CUstream s, CUevent e, unsigned flags), (s, e, flags), NOTHING())

/* A capture counts from before it begins until after it has ended, so that no copy is staged inside of one. */
#define BEGINS(name, params, args)  \
    CUresult name params            \
    {                               \
        CUresult r;                 \
        REAL(name);                 \
        share_task_capture(1);      \
        r = real->name args;        \
        if (r != CUDA_SUCCESS)      \
            share_task_capture(-1); \
        return r;                   \
    }
BEGINS(cuStreamBeginCapture_v2, (CUstream s, int mode), (s, mode))
BEGINS(cuStreamBeginCapture_v2_ptsz, (CUstream s, int mode), (s, mode))
BEGINS(cuStreamBeginCaptureToGraph, SHARE_TO_GRAPH_PARAMS, (s, g, nodes, edges, n, mode))
BEGINS(cuStreamBeginCaptureToGraph_ptsz, SHARE_TO_GRAPH_PARAMS, (s, g, nodes, edges, n, mode))
/* Of these errors the capture has ended, too. */
static int has_ended(CUresult r)
{
    return r == CUDA_SUCCESS || r == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED || r == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}
#define ENDS(name)                        \
    CUresult name(CUstream s, CUgraph *g) \
    {                                     \
        CUresult r;                       \
        REAL(name);                       \
        r = real->name(s, g);             \
        if (has_ended(r))                 \
            share_task_capture(-1);       \
        return r;                         \
    }
ENDS(cuStreamEndCapture)
ENDS(cuStreamEndCapture_ptsz)

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d)
{
    CUresult r;
    REAL(cuDevicePrimaryCtxRetain);
    r = real->cuDevicePrimaryCtxRetain(c, d);
    if (r == CUDA_SUCCESS)
        share_account_primary_is(d, *c);
    return r;
}

/* It may have other users. */
static int primary_has_ended(const share_driver *real, CUdevice d)
{
    unsigned flags;
    int is_active = 1;
    return real->cuDevicePrimaryCtxGetState &&
           real->cuDevicePrimaryCtxGetState(d, &flags, &is_active) == CUDA_SUCCESS && !is_active;
}

/* What it computed has ended, too. */
#define CONTEXT_ENDS(name, params, args, context, which, has_ended) \
    CUresult name params                                            \
    {                                                               \
        CUcontext ended = which;                                    \
        uint64_t until = share_account_count();                     \
        CUresult r;                                                 \
        REAL(name);                                                 \
        share_compute_forget(context);                              \
        share_copy_forget(real, context);                           \
        r = real->name args;                                        \
        if (r == CUDA_SUCCESS && (has_ended)) {                     \
            share_account_forget(ended, until);                     \
            share_task_waited(NULL, 0);                             \
        }                                                           \
        return r;                                                   \
    }
CONTEXT_ENDS(cuCtxDestroy_v2, (CUcontext c), (c), c, c, 1)
CONTEXT_ENDS(cuDevicePrimaryCtxRelease_v2, (CUdevice d), (d), NULL, share_account_primary(d),
             primary_has_ended(real, d))
CONTEXT_ENDS(cuDevicePrimaryCtxReset_v2, (CUdevice d), (d), NULL, share_account_primary(d), 1)

/* ---- memory of devices ---- */

static share_wish in_context(size_t n) { return (share_wish){.n_bytes = n, .is_of_context = 1}; }
static share_wish in_pool(size_t n) { return (share_wish){.n_bytes = n}; }

/* It is asked for again as long as account.h says that somebody may yet free some. */
#define ALLOCATES(name, params, args, key, what)                                            \
    CUresult name params                                                                    \
    {                                                                                       \
        const share_wish wish = what;                                                       \
        CUresult r;                                                                         \
        unsigned tries = 0;                                                                 \
        REAL(name);                                                                         \
        share_account_begin(real, &wish);                                                   \
        do                                                                                  \
            r = real->name args;                                                            \
        while (r == CUDA_ERROR_OUT_OF_MEMORY && share_account_again(real, &wish, tries++)); \
        if (r == CUDA_SUCCESS)                                                              \
            share_account_add(real, key, &wish);                                            \
        return r;                                                                           \
    }
ALLOCATES(cuMemAlloc_v2, (CUdeviceptr * p, size_t n), (p, n), *p, in_context(n))
ALLOCATES(cuMemAllocPitch_v2, (CUdeviceptr * p, size_t *pitch, size_t width, size_t height, unsigned element),
          (p, pitch, width, height, element), *p, in_context(width *height))
ALLOCATES(cuMemAllocAsync, (CUdeviceptr * p, size_t n, CUstream s), (p, n, s), *p, in_pool(n))
ALLOCATES(cuMemAllocAsync_ptsz, (CUdeviceptr * p, size_t n, CUstream s), (p, n, s), *p, in_pool(n))
ALLOCATES(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t n, CUmemoryPool pool, CUstream s), (p, n, pool, s), *p,
          in_pool(n))
ALLOCATES(cuMemAllocFromPoolAsync_ptsz, (CUdeviceptr * p, size_t n, CUmemoryPool pool, CUstream s), (p, n, pool, s), *p,
          in_pool(n))

/* It may be memory of the host, or of a device that is not the current one. */
static share_wish of_prop(const CUmemAllocationProp *prop, size_t n)
{
    share_wish w = {.is_elsewhere = 1};
    if (prop && prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        w.n_bytes = n, w.device = prop->location.id;
    return w;
}
ALLOCATES(cuMemCreate, (CUmemGenericAllocationHandle * h, size_t n, const void *prop, unsigned long long flags),
          (h, n, prop, flags), *h, of_prop(prop, n))

/* The account is told before: another thread may get the address again at once. */
#define FREES(name, params, args, key) \
    CUresult name params               \
    {                                  \
        struct share_account *a;       \
        CUresult r;                    \
        REAL(name);                    \
        a = share_account_take(key);   \
        r = real->name args;           \
        if (r == CUDA_SUCCESS)         \
            share_account_freed(a);    \
        else                           \
            share_account_put_back(a); \
        return r;                      \
    }
FREES(cuMemFree_v2, (CUdeviceptr p), (p), p)
FREES(cuMemFreeAsync, (CUdeviceptr p, CUstream s), (p, s), p)
FREES(cuMemFreeAsync_ptsz, (CUdeviceptr p, CUstream s), (p, s), p)
FREES(cuMemRelease, (CUmemGenericAllocationHandle h), (h), h)
