/* SPDX-License-Identifier: MIT */
/* abi.h - the part of CUDA's driver interface that the interposer wraps or calls, so that it is built without a toolkit.
 *
 * Two lists name the functions: SHARE_WRAPPED those that programs reach through us, SHARE_USED those that we only call.
 * Names, numbers and layouts are those of the driver, which never change under one name: a changed function gets a
 * new one (_v2), and that one is not in these lists. */
#ifndef SHARE_ABI_H
#define SHARE_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUfunc_st *CUfunction;
typedef struct CUarray_st *CUarray;
typedef struct CUmemPool_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPool_st *CUmemoryPool;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUuuid {
    char bytes[16];
} CUuuid;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906
};

/* Streams that are numbers. In functions of the per-thread kind (_ptds, _ptsz) NULL is the thread's own. */
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

enum {
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_UNIFIED = 4,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEMHOST_PORTABLE = 1,
    CU_MEMHOST_DEVICEMAP = 2,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_STREAM_WAIT_VALUE_GEQ = 0,
    CU_STREAM_WAIT_VALUE_EQ = 1
};

typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    uint32_t srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    uint32_t dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    uint32_t srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    uint32_t dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/* The begin of what cuMemCreate is given. */
typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    struct {
        int type, id;
    } location;
} CUmemAllocationProp;

/* What cuLaunchKernelEx is given: grid, block, shared memory, stream; attributes follow. */
typedef struct CUlaunchConfig {
    unsigned grid[3], block[3], shared;
    CUstream hStream;
} CUlaunchConfig;

/* clang-format off */
#define SHARE_LAUNCH_PARAMS                                                                                            \
    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,      \
     CUstream s, void **params, void **extra)
#define SHARE_COOPERATIVE_PARAMS                                                                                       \
    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,      \
     CUstream s, void **params)
#define SHARE_TO_GRAPH_PARAMS                                                                                          \
    (CUstream s, CUgraph g, const void *nodes, const void *edges, size_t n, int mode)

#define SHARE_CALLBACK_PARAMS                                                                                          \
    (CUstream s, void (*f)(CUstream s, CUresult status, void *data), void *data, unsigned flags)

#define SHARE_WRAPPED(X)                                                                                               \
    X(cuGetProcAddress, (const char *name, void **p, int version, uint64_t flags))                                     \
    X(cuGetProcAddress_v2, (const char *name, void **p, int version, uint64_t flags, void *status))                    \
    X(cuMemcpyHtoD_v2, (CUdeviceptr d, const void *h, size_t n))                                                       \
    X(cuMemcpyHtoD_v2_ptds, (CUdeviceptr d, const void *h, size_t n))                                                  \
    X(cuMemcpyDtoH_v2, (void *h, CUdeviceptr d, size_t n))                                                             \
    X(cuMemcpyDtoH_v2_ptds, (void *h, CUdeviceptr d, size_t n))                                                        \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr d, const void *h, size_t n, CUstream s))                                      \
    X(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr d, const void *h, size_t n, CUstream s))                                 \
    X(cuMemcpyDtoHAsync_v2, (void *h, CUdeviceptr d, size_t n, CUstream s))                                            \
    X(cuMemcpyDtoHAsync_v2_ptsz, (void *h, CUdeviceptr d, size_t n, CUstream s))                                       \
    X(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t n))                                                          \
    X(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t n))                                                     \
    X(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s))                                         \
    X(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s))                                    \
    X(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c))                                                                         \
    X(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *c))                                                                    \
    X(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c))                                                                \
    X(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *c))                                                           \
    X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream s))                                                        \
    X(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D *c, CUstream s))                                                   \
    X(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c))                                                                         \
    X(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *c))                                                                    \
    X(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream s))                                                        \
    X(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *c, CUstream s))                                                   \
    X(cuLaunchKernel, SHARE_LAUNCH_PARAMS)                                                                             \
    X(cuLaunchKernel_ptsz, SHARE_LAUNCH_PARAMS)                                                                        \
    X(cuLaunchKernelEx, (const void *config, CUfunction f, void **params, void **extra))                               \
    X(cuLaunchKernelEx_ptsz, (const void *config, CUfunction f, void **params, void **extra))                          \
    X(cuLaunchCooperativeKernel, SHARE_COOPERATIVE_PARAMS)                                                             \
    X(cuLaunchCooperativeKernel_ptsz, SHARE_COOPERATIVE_PARAMS)                                                        \
    X(cuGraphLaunch, (CUgraphExec g, CUstream s))                                                                      \
    X(cuGraphLaunch_ptsz, (CUgraphExec g, CUstream s))                                                                 \
    X(cuLaunchHostFunc, (CUstream s, void (*f)(void *), void *data))                                                   \
    X(cuLaunchHostFunc_ptsz, (CUstream s, void (*f)(void *), void *data))                                              \
    X(cuEventRecord, (CUevent e, CUstream s))                                                                          \
    X(cuEventRecord_ptsz, (CUevent e, CUstream s))                                                                     \
    X(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags))                                                 \
    X(cuEventRecordWithFlags_ptsz, (CUevent e, CUstream s, unsigned flags))                                            \
    X(cuStreamAddCallback, SHARE_CALLBACK_PARAMS)                                                                      \
    X(cuStreamAddCallback_ptsz, SHARE_CALLBACK_PARAMS)                                                                 \
    X(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags))                                                      \
    X(cuStreamWaitEvent_ptsz, (CUstream s, CUevent e, unsigned flags))                                                 \
    X(cuStreamSynchronize, (CUstream s))                                                                               \
    X(cuStreamSynchronize_ptsz, (CUstream s))                                                                          \
    X(cuEventSynchronize, (CUevent e))                                                                                 \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuCtxSynchronize_v2, (CUcontext c))                                                                              \
    X(cuStreamBeginCapture_v2, (CUstream s, int mode))                                                                 \
    X(cuStreamBeginCapture_v2_ptsz, (CUstream s, int mode))                                                            \
    X(cuStreamBeginCaptureToGraph, SHARE_TO_GRAPH_PARAMS)                                                              \
    X(cuStreamBeginCaptureToGraph_ptsz, SHARE_TO_GRAPH_PARAMS)                                                         \
    X(cuStreamEndCapture, (CUstream s, CUgraph *g))                                                                    \
    X(cuStreamEndCapture_ptsz, (CUstream s, CUgraph *g))                                                               \
    X(cuMemAlloc_v2, (CUdeviceptr *p, size_t n))                                                                       \
    X(cuMemAllocPitch_v2, (CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element))              \
    X(cuMemAllocAsync, (CUdeviceptr *p, size_t n, CUstream s))                                                         \
    X(cuMemAllocAsync_ptsz, (CUdeviceptr *p, size_t n, CUstream s))                                                    \
    X(cuMemAllocFromPoolAsync, (CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s))                              \
    X(cuMemAllocFromPoolAsync_ptsz, (CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s))                         \
    X(cuMemFree_v2, (CUdeviceptr p))                                                                                   \
    X(cuMemFreeAsync, (CUdeviceptr p, CUstream s))                                                                     \
    X(cuMemFreeAsync_ptsz, (CUdeviceptr p, CUstream s))                                                                \
    X(cuMemCreate, (CUmemGenericAllocationHandle *h, size_t n, const void *prop, unsigned long long flags))            \
    X(cuMemRelease, (CUmemGenericAllocationHandle h))                                                                  \
    X(cuCtxDestroy_v2, (CUcontext c))                                                                                  \
    X(cuDevicePrimaryCtxRetain, (CUcontext *c, CUdevice d))                                                            \
    X(cuDevicePrimaryCtxRelease_v2, (CUdevice d))                                                                      \
    X(cuDevicePrimaryCtxReset_v2, (CUdevice d))

#define SHARE_USED(X)                                                                                                  \
    X(cuCtxGetCurrent, (CUcontext *c))                                                                                 \
    X(cuCtxSetCurrent, (CUcontext c))                                                                                  \
    X(cuCtxGetDevice, (CUdevice *d))                                                                                   \
    X(cuDevicePrimaryCtxGetState, (CUdevice d, unsigned *flags, int *is_active))                                       \
    X(cuFuncGetName, (const char **name, CUfunction f))                                                                \
    X(cuDeviceGetUuid, (CUuuid *u, CUdevice d))                                                                        \
    X(cuDeviceTotalMem_v2, (size_t *n, CUdevice d))                                                                    \
    X(cuPointerGetAttributes, (unsigned n, int *attributes, void **values, CUdeviceptr p))                             \
    X(cuStreamIsCapturing, (CUstream s, int *status))                                                                  \
    X(cuThreadExchangeStreamCaptureMode, (int *mode))                                                                  \
    X(cuStreamGetFlags, (CUstream s, unsigned *flags))                                                                 \
    X(cuStreamCreate, (CUstream *s, unsigned flags))                                                                   \
    X(cuStreamDestroy_v2, (CUstream s))                                                                                \
    X(cuEventCreate, (CUevent *e, unsigned flags))                                                                     \
    X(cuEventDestroy_v2, (CUevent e))                                                                                  \
    X(cuEventQuery, (CUevent e))                                                                                       \
    X(cuMemHostRegister_v2, (void *p, size_t n, unsigned flags))                                                       \
    X(cuMemHostUnregister, (void *p))                                                                                  \
    X(cuMemHostGetDevicePointer_v2, (CUdeviceptr *d, void *p, unsigned flags))                                         \
    X(cuStreamWaitValue32_v2, (CUstream s, CUdeviceptr at, uint32_t value, unsigned flags))                            \
    X(cuStreamWriteValue32_v2, (CUstream s, CUdeviceptr at, uint32_t value, unsigned flags))
/* clang-format on */

#endif
