/* SPDX-License-Identifier: MIT */
/* api.h - the driver's functions as a test program gets them: linked, by dlsym, by cuGetProcAddress with either kind of default
 * stream, from a library loaded by its path. A program that has none exits with 3. */
#ifndef API_H
#define API_H

#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API(X)                                                                                                   \
    X(cuMemcpyHtoD, _v2, _v2_ptds, (CUdeviceptr d, const void *h, size_t n))                                     \
    X(cuMemcpyDtoH, _v2, _v2_ptds, (void *h, CUdeviceptr d, size_t n))                                           \
    X(cuMemcpyHtoDAsync, _v2, _v2_ptsz, (CUdeviceptr d, const void *h, size_t n, CUstream s))                    \
    X(cuMemcpyDtoHAsync, _v2, _v2_ptsz, (void *h, CUdeviceptr d, size_t n, CUstream s))                          \
    X(cuMemcpy, , _ptds, (CUdeviceptr to, CUdeviceptr from, size_t n))                                           \
    X(cuMemcpyAsync, , _ptsz, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s))                          \
    X(cuMemcpy2D, _v2, _v2_ptds, (const CUDA_MEMCPY2D *c))                                                       \
    X(cuMemcpy2DAsync, _v2, _v2_ptsz, (const CUDA_MEMCPY2D *c, CUstream s))                                      \
    X(cuLaunchKernel, , _ptsz, SHARE_LAUNCH_PARAMS)                                                              \
    X(cuLaunchKernelEx, , _ptsz, (const void *config, CUfunction f, void **params, void **extra))                \
    X(cuStreamSynchronize, , _ptsz, (CUstream s))                                                                \
    X(cuStreamBeginCapture, _v2, _v2_ptsz, (CUstream s, int mode))                                               \
    X(cuStreamEndCapture, , _ptsz, (CUstream s, CUgraph * g))                                                    \
    X(cuCtxSynchronize, , , (void))                                                                              \
    X(cuMemAlloc, _v2, _v2, (CUdeviceptr * p, size_t n))                                                         \
    X(cuMemAllocFromPoolAsync, , _ptsz, (CUdeviceptr * p, size_t n, CUmemoryPool pool, CUstream s))              \
    X(cuMemFree, _v2, _v2, (CUdeviceptr p))                                                                      \
    X(cuMemCreate, , , (CUmemGenericAllocationHandle * h, size_t n, const void *prop, unsigned long long flags)) \
    X(cuMemHostAlloc, , , (void **p, size_t n, unsigned flags))                                                  \
    X(cuMemFreeHost, , , (void *p))                                                                              \
    X(cuMemAllocManaged, , , (CUdeviceptr * p, size_t n, unsigned flags))                                        \
    X(cuStreamCreate, , , (CUstream * s, unsigned flags))                                                        \
    X(cuStreamDestroy, _v2, _v2, (CUstream s))                                                                   \
    X(cuStreamQuery, , , (CUstream s))                                                                           \
    X(cuStreamWaitEvent, , _ptsz, (CUstream s, CUevent e, unsigned flags))                                       \
    X(cuEventCreate, , , (CUevent * e, unsigned flags))                                                          \
    X(cuEventDestroy, _v2, _v2, (CUevent e))                                                                     \
    X(cuEventRecord, , _ptsz, (CUevent e, CUstream s))                                                           \
    X(cuEventRecordWithFlags, , _ptsz, (CUevent e, CUstream s, unsigned flags))                                  \
    X(cuStreamAddCallback, , _ptsz, SHARE_CALLBACK_PARAMS)                                                       \
    X(cuEventSynchronize, , , (CUevent e))                                                                       \
    X(cuEventQuery, , , (CUevent e))                                                                             \
    X(cuInit, , , (unsigned flags))                                                                              \
    X(cuDeviceGet, , , (CUdevice * d, int i))                                                                    \
    X(cuDeviceGetCount, , , (int *n))                                                                            \
    X(cuCtxCreate, _v2, _v2, (CUcontext * c, unsigned flags, CUdevice d))                                        \
    X(cuCtxDestroy, _v2, _v2, (CUcontext c))                                                                     \
    X(cuCtxSetCurrent, , , (CUcontext c))                                                                        \
    X(cuCtxGetCurrent, , , (CUcontext * c))                                                                      \
    X(cuDevicePrimaryCtxRetain, , , (CUcontext * c, CUdevice d))                                                 \
    X(cuDevicePrimaryCtxRelease, _v2, _v2, (CUdevice d))                                                         \
    X(cuDevicePrimaryCtxReset, _v2, _v2, (CUdevice d))                                                           \
    X(cuModuleGetFunction, , , (CUfunction * f, void *module, const char *name))

#define API_FIELD(name, plain, own, params) CUresult(*name) params;
typedef struct api {
    API(API_FIELD)
    uint64_t (*calls)(const char *name);
} api;
static api cu;

typedef CUresult (*api_lookup)(const char *name, void **p, int version, uint64_t flags, void *status);

static inline void api_set(void *field, void *p, const char *name)
{
    if (!p) {
        printf("there is no %s\n", name);
        exit(3);
    }
    memcpy(field, &p, sizeof p);
}

static inline void *api_find(api_lookup look_up, const char *name, int own)
{
    void *p = NULL;
    return look_up(name, &p, 12080, own ? 2 : 1, NULL) == CUDA_SUCCESS ? p : NULL;
}

/* `library`: NULL for the usual name. */
static inline void *api_open(const char *library, int flags)
{
    void *lib = dlopen(library ? library : "libcuda.so.1", RTLD_NOW | flags);
    if (!lib) {
        printf("%s\n", dlerror());
        exit(3);
    }
    api_set(&cu.calls, dlsym(lib, "fake_calls"), "fake_calls");
    return lib;
}

static inline void api_by_dlsym(void *lib, int own)
{
#define API_DLSYM(name, plain, per_thread, params) \
    api_set(&cu.name, dlsym(lib, own ? #name #per_thread : #name #plain), #name);
    API(API_DLSYM)
}

static inline void api_by_lookup(void *lib, int own)
{
    api_lookup look_up, again;
    void *p;
    api_set(&look_up, dlsym(lib, "cuGetProcAddress_v2"), "cuGetProcAddress_v2");
    p = api_find(look_up, "cuGetProcAddress", 0);
    api_set(&again, p, "cuGetProcAddress"); /* as the runtime does: it is asked for itself first */
#define API_LOOKUP(name, plain, per_thread, params) api_set(&cu.name, api_find(again, #name, own), #name);
    API(API_LOOKUP)
}

#ifdef API_LINKED
static inline void api_linked(int own)
{
    cu.calls = fake_calls;
#define API_LINK(name, plain, per_thread, params) cu.name = own ? name##per_thread : name##plain;
    API(API_LINK)
}
#endif

/* how: "dlsym", "lookup" or "linked"; with "-own" behind it the thread's own streams are the default ones. */
static inline void api_load(const char *how, const char *library, int flags)
{
    int own = strstr(how, "-own") != NULL;
#ifdef API_LINKED
    (void)library, (void)flags;
    api_linked(own);
#else
    void *lib = api_open(library, flags);
    if (!strncmp(how, "lookup", 6))
        api_by_lookup(lib, own);
    else
        api_by_dlsym(lib, own);
#endif
}

#define TRY(call)                                                     \
    do {                                                              \
        CUresult r_ = (call);                                         \
        if (r_ != CUDA_SUCCESS) {                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            fflush(stdout);                                           \
            exit(1);                                                  \
        }                                                             \
    } while (0)

#endif
