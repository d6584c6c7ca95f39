/* SPDX-License-Identifier: MIT */
/* gpu.h - the few calls of CUDA's driver that this example makes, and its kernel. With the CUDA toolkit, cuda.h has the types. */
#ifndef GPU_H
#define GPU_H

#include <stdint.h>
#include <stdio.h>

typedef int CUresult, CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

typedef struct gpu_calls {
    CUresult (*Init)(unsigned flags);
    CUresult (*DeviceGet)(CUdevice *d, int i);
    CUresult (*CtxCreate)(CUcontext *c, unsigned flags, CUdevice d);
    CUresult (*ModuleLoadData)(CUmodule *m, const void *image);
    CUresult (*ModuleGetFunction)(CUfunction *f, CUmodule m, const char *name);
    CUresult (*MemAlloc)(CUdeviceptr *p, size_t n);
    CUresult (*MemcpyHtoD)(CUdeviceptr to, const void *from, size_t n);
    CUresult (*MemcpyDtoH)(void *to, CUdeviceptr from, size_t n);
    CUresult (*LaunchKernel)(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared, CUstream s, void **params, void **extra);
} gpu_calls;
extern gpu_calls cu;

/* Loads the driver, makes a context on its first GPU and the kernel in it: kernel(bytes), a thread a byte. */
CUfunction gpu_open(void);
/* Ends the program when a call failed. */
void must(const char *call, CUresult r);

#endif
