/* SPDX-License-Identifier: MIT */
/* describe.c - properties of a GPU, and conditions that may disturb a resident kernel. A multi-process service shares the
 * SMs, a MIG slice is a different GPU every time, and a display's driver kills long kernels. Restores the calling thread's
 * device. */
#include "backend/cuda/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static heddle_status ask(uint32_t *out, enum cudaDeviceAttr which, uint32_t device, hd_error *e)
{
    int value = 0;
    HD_CUDA_TRY(cudaDeviceGetAttribute(&value, which, (int)device), e, "asking what the GPU is");
    *out = (uint32_t)value;
    return HEDDLE_OK;
}

static heddle_status ask_all(uint32_t device, heddle_device *out, hd_error *e)
{
    uint32_t l2_bytes = 0;
    HD_TRY(ask(&out->n_units, cudaDevAttrMultiProcessorCount, device, e));
    HD_TRY(ask(&out->major, cudaDevAttrComputeCapabilityMajor, device, e));
    HD_TRY(ask(&out->minor, cudaDevAttrComputeCapabilityMinor, device, e));
    HD_TRY(ask(&out->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device, e));
    HD_TRY(ask(&out->has_time_limit, cudaDevAttrKernelExecTimeout, device, e));
    HD_TRY(ask(&out->reads_host, cudaDevAttrPageableMemoryAccess, device, e));
    HD_TRY(ask(&l2_bytes, cudaDevAttrL2CacheSize, device, e));
    out->l2_bytes = l2_bytes;
    return HEDDLE_OK;
}

static heddle_status ask_versions(heddle_device *out, hd_error *e)
{
    int driver = 0, runtime = 0;
    HD_CUDA_TRY(cudaDriverGetVersion(&driver), e, "asking for the driver's version");
    HD_CUDA_TRY(cudaRuntimeGetVersion(&runtime), e, "asking for the runtime's version");
    out->driver = (uint32_t)driver;
    out->runtime = (uint32_t)runtime;
    return HEDDLE_OK;
}

static heddle_status ask_memory(uint32_t device, heddle_device *out, hd_error *e)
{
    size_t free_bytes = 0, total_bytes = 0;
    int before = 0;
    cudaError_t r;
    HD_CUDA_TRY(cudaGetDevice(&before), e, "asking for the GPU's memory");
    r = cudaSetDevice((int)device);
    if (r == cudaSuccess)
        r = cudaMemGetInfo(&free_bytes, &total_bytes);
    (void)cudaSetDevice(before);
    HD_CUDA_TRY(r, e, "asking for the GPU's memory");
    out->free_bytes = free_bytes;
    out->total_bytes = total_bytes;
    return HEDDLE_OK;
}

/* The multi-process service has its pipe in this folder. */
static uint32_t has_mps(void)
{
    const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
    char path[512];
    snprintf(path, sizeof path, "%s/control", folder ? folder : "/tmp/nvidia-mps");
    return access(path, F_OK) == 0;
}

heddle_status hd_cuda_describe(uint32_t device, heddle_device *out, hd_error *e)
{
    struct cudaDeviceProp p;
    HD_CUDA_TRY(cudaGetDeviceProperties(&p, (int)device), e, "asking what the GPU is");
    snprintf(out->name, sizeof out->name, "%.127s", p.name);
    out->is_mig = strstr(p.name, " MIG ") != NULL; /* the driver's name for slices */
    out->has_mps = has_mps();
    if (cudaDeviceGetPCIBusId(out->pci, (int)sizeof out->pci, (int)device) != cudaSuccess) {
        (void)cudaGetLastError();
        *out->pci = 0;
    }
    HD_TRY(ask_all(device, out, e));
    HD_TRY(ask_versions(out, e));
    return ask_memory(device, out, e);
}
