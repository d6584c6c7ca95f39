/* SPDX-License-Identifier: MIT */
/* driver.c - the folder's lowest layer: driver functions, error sentences for driver and runtime, the current device, a
 * stream's state. */
#include "backend/cuda/cuda.h"

#include <string.h>

#define OLDEST_DRIVER 12080 /* version of the requested functions: CUDA 12.8 */

heddle_status hd_driver_find(hd_driver *out, hd_error *e)
{
    enum cudaDriverEntryPointQueryResult found;
    cudaError_t r;
    void *at;
#define HD_X(name, args)                                                                                      \
    at = NULL;                                                                                                \
    r = cudaGetDriverEntryPointByVersion(#name, &at, OLDEST_DRIVER, cudaEnableDefault, &found);               \
    if (r != cudaSuccess || found != cudaDriverEntryPointSuccess || !at)                                      \
        return hd_say(e, HEDDLE_EDEVICE, "the NVIDIA driver has no " #name ": CUDA 12.8 or newer is needed"); \
    memcpy(&out->name, &at, sizeof at); /* ISO C has no cast from an object's pointer to a function's */
    HD_DRIVER_MAP(HD_X)
#undef HD_X
    return HEDDLE_OK;
}

heddle_status hd_cuda_say(hd_error *e, cudaError_t error, const char *doing)
{
    heddle_status s = error == cudaErrorMemoryAllocation ? HEDDLE_ENOMEM : HEDDLE_EDEVICE;
    (void)cudaGetLastError(); /* clears the reported error, which the next call would return again */
    return hd_say(e, s, "%s: %s (%s)", doing, cudaGetErrorString(error), cudaGetErrorName(error));
}

heddle_status hd_driver_say(const hd_driver *d, hd_error *e, CUresult error, const char *doing)
{
    const char *name = "an unknown error", *text = "the driver gives no text";
    (void)d->cuGetErrorName(error, &name);
    (void)d->cuGetErrorString(error, &text);
    return hd_say(e, error == CUDA_ERROR_OUT_OF_MEMORY ? HEDDLE_ENOMEM : HEDDLE_EDEVICE, "%s: %s (%s)", doing, text,
                  name);
}

heddle_status hd_cuda_use(const hd_device *d, hd_error *e)
{
    HD_CUDA_TRY(cudaSetDevice(d->index), e, "making the GPU current");
    return HEDDLE_OK;
}

int hd_cuda_capturing(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}
