/* SPDX-License-Identifier: MIT */
/* tasker.c - a program of plain tasks: it copies in, computes, copies out.
 *
 *   tasker NAME IN_MB KERNEL OUT_MB ROUNDS [async|flat|flat-async]   KERNEL: so many ms, or until a file of this name (with a slash) is there; async: from pinned memory, and it waits for all of a task at its end, or
 *       once for all tasks that copy nothing out; flat: copies of two dimensions
 *
 * Prints "right", and for its first task when the copy in and the task had ended, in ms of the machine's clock. */
#include "api.h"

#include "check.h"

#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static void sleep_ms(uint64_t ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static const char *awaited; /* a file; NULL: kernels take a time */

/* The driver calls it by its name. */
void compute(void **params)
{
    unsigned char *data = *(unsigned char **)params[0];
    sleep_ms(*(uint64_t *)params[1]);
    while (awaited && access(awaited, F_OK))
        sleep_ms(1);
    data[0] = (unsigned char)(data[0] + 1);
}

static int is_async, is_flat;

static unsigned char *host_memory(size_t n)
{
    void *p = NULL;
    if (!is_async)
        return malloc(n);
    TRY(cu.cuMemHostAlloc(&p, n, 0));
    return p;
}

/* Rows of 1 MB. */
static CUDA_MEMCPY2D rows(CUdeviceptr d, const void *h, size_t n, int is_in)
{
    CUDA_MEMCPY2D c = {.srcMemoryType = is_in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                       .dstMemoryType = is_in ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                       .srcHost = h,
                       .srcDevice = d,
                       .dstHost = (void *)(uintptr_t)h,
                       .dstDevice = d,
                       .srcPitch = 1 << 20,
                       .dstPitch = 1 << 20,
                       .WidthInBytes = 1 << 20,
                       .Height = n >> 20};
    return c;
}

static void copy_in(CUdeviceptr d, const void *h, size_t n)
{
    CUDA_MEMCPY2D c = rows(d, h, n, 1);
    if (is_flat) {
        TRY(is_async ? cu.cuMemcpy2DAsync(&c, NULL) : cu.cuMemcpy2D(&c));
        return;
    }
    TRY(is_async ? cu.cuMemcpyHtoDAsync(d, h, n, NULL) : cu.cuMemcpyHtoD(d, h, n));
}

static void copy_out(void *h, CUdeviceptr d, size_t n)
{
    CUDA_MEMCPY2D c = rows(d, h, n, 0);
    if (is_flat)
        TRY(is_async ? cu.cuMemcpy2DAsync(&c, NULL) : cu.cuMemcpy2D(&c));
    else
        TRY(is_async ? cu.cuMemcpyDtoHAsync(h, d, n, NULL) : cu.cuMemcpyDtoH(h, d, n));
    TRY(cu.cuStreamSynchronize(NULL));
}

int main(int argc, char **argv)
{
    size_t in = argc > 5 ? (size_t)atoi(argv[2]) << 20 : 0, out = argc > 5 ? (size_t)atoi(argv[4]) << 20 : 0;
    uint64_t ms = argc > 5 ? (uint64_t)atoi(argv[3]) : 0, copied = 0, ended = 0;
    unsigned char *host;
    CUdeviceptr device;
    CUfunction f;
    CUcontext c;
    void *params[] = {&device, &ms, NULL};
    if (!in || out > in)
        return 2;
    awaited = strchr(argv[3], '/') ? argv[3] : NULL;
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&device, in));
    TRY(cu.cuModuleGetFunction(&f, NULL, "compute"));
    is_async = argc > 6 && strstr(argv[6], "async"), is_flat = argc > 6 && !strncmp(argv[6], "flat", 4);
    host = host_memory(in);
    for (int round = 0; round < atoi(argv[5]); round++) {
        memset(host, round, in);
        copy_in(device, host, in);
        copied = round ? copied : now_ms();
        TRY(cu.cuLaunchKernel(f, 8, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
        if (out) {
            if (!is_async)
                memset(host, 255, out);
            copy_out(host, device, out);
            CHECK(host[0] == (unsigned char)(round + 1) && host[out - 1] == (unsigned char)round);
        } else if (!is_async || round + 1 == atoi(argv[5]))
            TRY(cu.cuCtxSynchronize());
        ended = round ? ended : now_ms();
    }
    TRY(cu.cuMemFree(device));
    printf("right %s; copied in at %llu, ended at %llu\n", argv[1], (unsigned long long)copied,
           (unsigned long long)ended);
    return 0;
}
