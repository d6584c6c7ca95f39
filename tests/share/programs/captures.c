/* SPDX-License-Identifier: MIT */
/* captures.c - copies while streams capture: the captured ones become nodes, and no call of anybody else ends the capture. Memory
 * that is managed, contexts that end while their rings live, and work that the copy comes behind.
 *
 * Prints "right". */
#include "api.h"

#include "check.h"

#include <unistd.h>

enum { N = 4 << 20 };

__attribute__((visibility("default"))) void slowly_fill(void **params);
void slowly_fill(void **params)
{
    unsigned char *p = (unsigned char *)(uintptr_t) * (uint64_t *)params[0];
    usleep(100000);
    memset(p, (int)*(uint64_t *)params[1], N);
}

static void fill(CUstream s, CUdeviceptr d, uint64_t value)
{
    CUfunction f;
    void *params[] = {&d, &value, NULL};
    TRY(cu.cuModuleGetFunction(&f, NULL, "slowly_fill"));
    TRY(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static void check_all(const unsigned char *h, int value)
{
    for (size_t i = 0; i < N; i++)
        CHECK_MSG(h[i] == (unsigned char)value, "byte %zu is %d, not %d", i, h[i], value);
}

/* A copy in a blocking stream that is empty comes behind the kernels of the legacy stream. */
static void behind_legacy(CUdeviceptr d, unsigned char *h, CUstream blocking)
{
    fill(CU_STREAM_LEGACY, d, 16);
    TRY(cu.cuMemcpyDtoHAsync(h, d, N, blocking));
    TRY(cu.cuStreamSynchronize(blocking));
    check_all(h, 16);
    memset(h, 17, N);
    fill(CU_STREAM_LEGACY, d, 18);
    TRY(cu.cuMemcpyHtoDAsync(d, h, N, blocking)); /* after the kernel, or 18 would stay */
    TRY(cu.cuCtxSynchronize());
    memset(h, 0, N);
    TRY(cu.cuMemcpyDtoH(h, d, N));
    check_all(h, 17);
}

/* A copy comes behind the kernels of its stream, and the legacy stream's behind those of all blocking streams. */
static void order(CUdeviceptr d, unsigned char *h, int is_own)
{
    CUstream blocking, other;
    TRY(cu.cuStreamCreate(&blocking, 0));
    TRY(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    fill(NULL, d, 11);
    TRY(cu.cuMemcpyDtoH(h, d, N));
    check_all(h, 11);
    fill(blocking, d, 12);
    if (is_own) /* a thread's own stream waits for no other */
        TRY(cu.cuStreamSynchronize(blocking));
    TRY(cu.cuMemcpyDtoH(h, d, N));
    check_all(h, 12);
    fill(other, d, 13);
    TRY(cu.cuMemcpyDtoHAsync(h, d, N, other));
    TRY(cu.cuStreamSynchronize(other));
    check_all(h, 13);
    memset(h, 14, N);
    fill(other, d, 15);
    TRY(cu.cuMemcpyHtoDAsync(d, h, N, other)); /* after the kernel, or 15 would stay */
    memset(h, 0, N);                           /* the call has read it */
    TRY(cu.cuMemcpyDtoHAsync(h, d, N, other));
    TRY(cu.cuStreamSynchronize(other));
    check_all(h, 14);
    behind_legacy(d, h, blocking);
    TRY(cu.cuStreamDestroy(blocking));
    TRY(cu.cuStreamDestroy(other));
}

static void capture(CUdeviceptr d, unsigned char *h)
{
    CUstream s;
    CUgraph g;
    void *pinned;
    TRY(cu.cuMemHostAlloc(&pinned, N, 0));
    TRY(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    TRY(cu.cuStreamBeginCapture(s, 0));
    TRY(cu.cuMemcpyHtoDAsync(d, pinned, N, s));
    TRY(cu.cuMemcpyDtoHAsync(pinned, d, N, s));
    memset(h, 21, N);
    TRY(cu.cuMemcpyHtoD(d, h, N)); /* of another stream */
    TRY(cu.cuStreamEndCapture(s, &g));
    CHECK_MSG((uintptr_t)g == 2, "%d nodes", (int)(uintptr_t)g);
    CHECK(cu.cuStreamEndCapture(s, &g) == CUDA_ERROR_INVALID_VALUE);
    memset(h, 0, N);
    TRY(cu.cuMemcpyDtoH(h, d, N));
    check_all(h, 21);
    TRY(cu.cuMemFreeHost(pinned));
}

static void managed(unsigned char *h)
{
    CUdeviceptr m;
    TRY(cu.cuMemAllocManaged(&m, N, 1));
    memset(h, 31, N);
    TRY(cu.cuMemcpyHtoD(m, h, N));
    memset(h, 0, N);
    TRY(cu.cuMemcpyDtoH(h, m, N));
    check_all(h, 31);
    TRY(cu.cuMemFree(m));
}

/* Wrong addresses are the driver's to refuse, as it does without us. */
static void refusals(CUdeviceptr d, unsigned char *h)
{
    CHECK(cu.cuMemcpyHtoD((CUdeviceptr)(uintptr_t)h, h, N) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu.cuMemcpyHtoD(d, h, N) == CUDA_SUCCESS);
    CHECK(cu.cuMemcpyHtoD(d + 4096, h, N) == CUDA_ERROR_INVALID_VALUE);
}

static void contexts(unsigned char *h)
{
    for (int i = 0; i < 5; i++) {
        CUcontext c, now;
        CUdeviceptr d;
        TRY(cu.cuCtxCreate(&c, 0, 0));
        TRY(cu.cuMemAlloc(&d, N));
        memset(h, 40 + i, N);
        TRY(cu.cuMemcpyHtoD(d, h, N));
        memset(h, 0, N);
        TRY(cu.cuMemcpyDtoH(h, d, N));
        check_all(h, 40 + i);
        TRY(cu.cuMemFree(d));
        TRY(cu.cuCtxDestroy(c));
        TRY(cu.cuCtxGetCurrent(&now));
        CHECK(!now);
    }
}

int main(int argc, char **argv)
{
    unsigned char *h = malloc(N);
    CUcontext c;
    CUdeviceptr d;
    api_load(argc > 1 ? argv[1] : "lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&d, N));
    order(d, h, argc > 1 && strstr(argv[1], "-own"));
    capture(d, h);
    managed(h);
    refusals(d, h);
    contexts(h);
    TRY(cu.cuCtxSetCurrent(c));
    memset(h, 5, N);
    TRY(cu.cuMemcpyHtoD(d, h, N));
    TRY(cu.cuDevicePrimaryCtxRelease(0));
    puts("right");
    return 0;
}
