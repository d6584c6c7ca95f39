/* SPDX-License-Identifier: MIT */
/* kernel.c - prepares a kernel of the user's table for launches. */
#include "backend/cuda/cuda.h"

static heddle_status attribute(const hd_driver *d, CUfunction f, CUfunction_attribute which, uint32_t *out, hd_error *e)
{
    int value = 0;
    CUresult r = d->cuFuncGetAttribute(&value, which, f);
    *out = (uint32_t)value;
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, "asking what a kernel needs");
}

heddle_status hd_kernel_most_threads(uint32_t *out, const hd_loaded *l, CUfunction f, hd_error *e)
{
    HD_TRY(attribute(&l->device->driver, f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, out, e));
    *out = *out / 32u * 32u;
    return HEDDLE_OK;
}

/* Checks threads and shared memory against the limits of the kernel and the device. */
static heddle_status check(const hd_device *device, const heddle_table *table, CUfunction f, uint32_t n_threads,
                           uint32_t shared_bytes, hd_error *e)
{
    const hd_driver *d = &device->driver;
    uint32_t max_threads, fixed_bytes;
    HD_TRY(attribute(d, f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &max_threads, e));
    HD_TRY(attribute(d, f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &fixed_bytes, e));
    if (n_threads > max_threads)
        return hd_say(e, HEDDLE_ERANGE,
                      "table %s: blocks of %u threads were asked for; with the registers its bodies use at most %u fit",
                      table->name, n_threads, max_threads);
    if ((uint64_t)shared_bytes + fixed_bytes > device->max_shared_bytes)
        return hd_say(e, HEDDLE_ERANGE,
                      "table %s: a block needs %u bytes of shared memory; this device gives a block at most %llu",
                      table->name, shared_bytes + fixed_bytes, (unsigned long long)device->max_shared_bytes);
    return HEDDLE_OK;
}

heddle_status hd_kernel_of(CUfunction *out, int *per_sm, const hd_device *device, const heddle_table *table,
                           uint32_t family, uint32_t variant, uint32_t n_threads, uint32_t shared_bytes, hd_error *e)
{
    const hd_driver *d = &device->driver;
    static pthread_mutex_t raising = PTHREAD_MUTEX_INITIALIZER;
    void *f = NULL;
    int allowed = 0;
    CUresult r;
    const int found = table->stubs->function(family, variant, device->config.n_trace != 0, &f);
    if (found == HD_NO_KERNEL)
        return hd_say(e, HEDDLE_ENODEV, "table %s was compiled without the kernels that this needs", table->name);
    if (found != (int)cudaSuccess)
        return hd_say(e, HEDDLE_EDEVICE, "table %s: finding its kernels: %s (is it compiled for this device?)",
                      table->name, cudaGetErrorString((cudaError_t)found));
    *out = (CUfunction)f;
    HD_TRY(check(device, table, *out, n_threads, shared_bytes, e));
    /* The limit belongs to the kernel, which graphs of all contexts share: it is only raised. */
    pthread_mutex_lock(&raising);
    r = d->cuFuncGetAttribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, *out);
    if (r == CUDA_SUCCESS && shared_bytes > (uint32_t)allowed)
        r = d->cuFuncSetAttribute(*out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes);
    pthread_mutex_unlock(&raising);
    if (r == CUDA_SUCCESS && per_sm)
        r = d->cuOccupancyMaxActiveBlocksPerMultiprocessor(per_sm, *out, (int)n_threads, shared_bytes);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, "preparing a kernel");
}

heddle_status hd_kernel_find(CUfunction *out, int *per_sm, const hd_loaded *l, uint32_t family, uint32_t variant,
                             uint32_t n_threads, uint32_t shared_bytes, hd_error *e)
{
    return hd_kernel_of(out, per_sm, l->device, l->graph->table, family, variant, n_threads, shared_bytes, e);
}
