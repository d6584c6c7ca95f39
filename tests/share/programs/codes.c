/* SPDX-License-Identifier: MIT */
/* codes.c - calls one function that the fake driver lets fail, and sees that the program gets this code and that nothing was
 * written where results go.
 *
 *   codes NAME CODE   with FAKE_CUDA_FAULTS=NAME:0:CODE; prints "right" */
#include "api.h"

#include "check.h"

enum { N = 2 << 20 };
#define UNTOUCHED 0x5a5a5a5a5a5a5a5au

static CUdeviceptr device;
static unsigned char *pageable;

static int call(const char *name)
{
    CUdeviceptr p = UNTOUCHED;
    CUgraph g = (CUgraph)UNTOUCHED;
    int r = -1;
    if (!strcmp(name, "cuMemAlloc_v2"))
        r = cu.cuMemAlloc(&p, N);
    else if (!strcmp(name, "cuMemFree_v2"))
        r = cu.cuMemFree(device);
    else if (!strcmp(name, "cuMemcpyHtoD_v2"))
        r = cu.cuMemcpyHtoD(device, pageable, 100);
    else if (!strcmp(name, "cuMemcpyHtoDAsync_v2")) /* by way of the rings, too */
        r = cu.cuMemcpyHtoD(device, pageable, N);
    else if (!strcmp(name, "cuMemcpyDtoHAsync_v2"))
        r = cu.cuMemcpyDtoH(pageable, device, N);
    else if (!strcmp(name, "cuStreamSynchronize"))
        r = cu.cuStreamSynchronize(NULL);
    else if (!strcmp(name, "cuCtxSynchronize"))
        r = cu.cuCtxSynchronize();
    else if (!strcmp(name, "cuStreamEndCapture"))
        r = cu.cuStreamEndCapture(NULL, &g);
    else if (!strcmp(name, "cuMemcpy2D_v2")) {
        CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = pageable,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = device,
                           .WidthInBytes = N,
                           .Height = 1};
        r = cu.cuMemcpy2D(&c);
    } else if (!strcmp(name, "cuMemHostRegister_v2")) /* no rings: the driver copies */
        return cu.cuMemcpyHtoD(device, pageable, N) == CUDA_SUCCESS ? 77 : 1;
    CHECK(p == UNTOUCHED && g == (CUgraph)UNTOUCHED);
    return r;
}

int main(int argc, char **argv)
{
    CUcontext c;
    int r;
    if (argc < 3)
        return 2;
    api_load("lookup", NULL, 0);
    pageable = malloc(N);
    memset(pageable, 3, N);
    TRY(cu.cuInit(0));
    TRY(cu.cuCtxCreate(&c, 0, 0));
    if (strcmp(argv[1], "cuMemAlloc_v2"))
        TRY(cu.cuMemAlloc(&device, N));
    r = call(argv[1]);
    CHECK_MSG(r == atoi(argv[2]), "%s gave %d", argv[1], r);
    puts("right");
    return 0;
}
