/* SPDX-License-Identifier: MIT */
/* gpu.c - finds the driver, as programs with the CUDA runtime do: by dlopen and dlsym (gpu.h). */
#include "gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

gpu_calls cu;

/* to[i] = from[i % n_from] + 1: a thread a byte. */
static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry next(.param .u64 from, .param .u64 n_from, .param .u64 to, .param .u64 n_to) {\n"
    "    .reg .u32 %t<5>; .reg .u64 %i<8>; .reg .u16 %b; .reg .pred %p;\n"
    "    mov.u32 %t1, %ctaid.x;\n"
    "    mov.u32 %t2, %ntid.x;\n"
    "    mov.u32 %t3, %tid.x;\n"
    "    mad.lo.u32 %t4, %t1, %t2, %t3;\n"
    "    cvt.u64.u32 %i1, %t4;\n"
    "    ld.param.u64 %i2, [n_to];\n"
    "    setp.ge.u64 %p, %i1, %i2;\n"
    "    @%p ret;\n"
    "    ld.param.u64 %i3, [n_from];\n"
    "    rem.u64 %i4, %i1, %i3;\n"
    "    ld.param.u64 %i5, [from];\n"
    "    add.u64 %i5, %i5, %i4;\n"
    "    ld.global.u8 %b, [%i5];\n"
    "    add.u16 %b, %b, 1;\n"
    "    ld.param.u64 %i6, [to];\n"
    "    add.u64 %i6, %i6, %i1;\n"
    "    st.global.u8 [%i6], %b;\n"
    "    ret;\n}\n";

/* The same for a driver that plays a GPU on the host, as that of the tests: it finds kernels in the program, and calls each once. */
void next(void **params);
void next(void **params)
{
    const unsigned char *from = *(unsigned char **)params[0];
    unsigned char *to = *(unsigned char **)params[2];
    uint64_t n_from = *(uint64_t *)params[1], n_to = *(uint64_t *)params[3];
    for (uint64_t i = 0; i < n_to; i++)
        to[i] = (unsigned char)(from[i % n_from] + 1);
}

static void *find(void *driver, const char *name)
{
    void *p = dlsym(driver, name);
    if (!p) {
        fprintf(stderr, "the driver lacks %s\n", name);
        exit(1);
    }
    return p;
}

void must(const char *call, CUresult r)
{
    if (r == 0)
        return;
    fprintf(stderr, "%s: error %d of CUDA\n", call, r);
    exit(1);
}

CUfunction gpu_open(void)
{
    static const struct {
        const char *name;
        void *call;
    } calls[] = {{"cuInit", &cu.Init},
                 {"cuDeviceGet", &cu.DeviceGet},
                 {"cuCtxCreate_v2", &cu.CtxCreate},
                 {"cuModuleLoadData", &cu.ModuleLoadData},
                 {"cuModuleGetFunction", &cu.ModuleGetFunction},
                 {"cuMemAlloc_v2", &cu.MemAlloc},
                 {"cuMemcpyHtoD_v2", &cu.MemcpyHtoD},
                 {"cuMemcpyDtoH_v2", &cu.MemcpyDtoH},
                 {"cuLaunchKernel", &cu.LaunchKernel}};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CUfunction kernel;
    CUcontext context;
    CUmodule module;
    CUdevice device;
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        exit(77); /* no driver here */
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        *(void **)calls[i].call = find(driver, calls[i].name);
    must("cuInit", cu.Init(0));
    must("cuDeviceGet", cu.DeviceGet(&device, 0));
    must("cuCtxCreate", cu.CtxCreate(&context, 0, device));
    must("cuModuleLoadData", cu.ModuleLoadData(&module, ptx));
    must("cuModuleGetFunction", cu.ModuleGetFunction(&kernel, module, "next"));
    return kernel;
}
