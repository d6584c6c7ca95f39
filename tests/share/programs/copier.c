/* SPDX-License-Identifier: MIT */
/* copier.c - a program that copies large blocks, one after the other, and checks them.
 *
 *   copier MBYTES ROUNDS KIND [WAY]   KIND: pageable, pinned, async (pinned, in a stream), pool
 *                                     (pinned; memory of the device from a pool); WAY: in, out, both
 *
 * Prints "right", its longest copy in ms, and what the driver saw. */
#include "api.h"

#include "check.h"

#include <time.h>

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

typedef struct block {
    unsigned char *host;
    CUdeviceptr device;
    size_t n;
    CUstream stream;
    int is_async;
} block;

static void copy_in(const block *b)
{
    if (!b->is_async) {
        TRY(cu.cuMemcpyHtoD(b->device, b->host, b->n));
        return;
    }
    TRY(cu.cuMemcpyHtoDAsync(b->device, b->host, b->n, b->stream));
    TRY(cu.cuStreamSynchronize(b->stream));
}

static void copy_out(const block *b)
{
    if (!b->is_async) {
        TRY(cu.cuMemcpyDtoH(b->host, b->device, b->n));
        return;
    }
    TRY(cu.cuMemcpyDtoHAsync(b->host, b->device, b->n, b->stream));
    TRY(cu.cuStreamSynchronize(b->stream));
}

static unsigned char value(size_t i, int round) { return (unsigned char)(i * 5 + (i >> 13) + (size_t)round); }

static void check_device(const block *b, int round)
{
    const unsigned char *d = (const unsigned char *)(uintptr_t)b->device; /* the fake's device memory is ours */
    for (size_t i = 0; i < b->n; i += 61)
        CHECK_MSG(d[i] == value(i, round), "byte %zu", i);
}

static void check_host(const block *b, int round)
{
    for (size_t i = 0; i < b->n; i += 61)
        CHECK_MSG(b->host[i] == value(i, round), "byte %zu", i);
}

int main(int argc, char **argv)
{
    block b = {.n = 0};
    CUcontext c;
    const char *kind = argc > 3 ? argv[3] : "pageable", *way = argc > 4 ? argv[4] : "in";
    uint64_t longest = 0, begin;
    void *p = NULL;
    if (argc < 3)
        return 2;
    api_load("lookup", NULL, 0);
    b.n = (size_t)atoi(argv[1]) << 20, b.is_async = !strcmp(kind, "async");
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    if (!strcmp(kind, "pool"))
        TRY(cu.cuMemAllocFromPoolAsync(&b.device, b.n, NULL, NULL));
    else
        TRY(cu.cuMemAlloc(&b.device, b.n));
    TRY(cu.cuStreamCreate(&b.stream, 0));
    if (!strcmp(kind, "pageable"))
        p = malloc(b.n);
    else
        TRY(cu.cuMemHostAlloc(&p, b.n, 0));
    b.host = p;
    for (int round = 0; round < atoi(argv[2]); round++) {
        for (size_t i = 0; i < b.n; i++)
            b.host[i] = value(i, round);
        begin = now_us();
        copy_in(&b);
        longest = now_us() - begin > longest ? now_us() - begin : longest;
        check_device(&b, round);
        if (!strcmp(way, "in"))
            continue;
        memset(b.host, 0, b.n);
        copy_out(&b);
        check_host(&b, round);
    }
    TRY(cu.cuMemFree(b.device));
    printf("right; longest %llu ms; waits in streams %llu; pieces %llu\n", (unsigned long long)(longest / 1000),
           (unsigned long long)cu.calls("cuStreamWaitValue32_v2"), (unsigned long long)cu.calls("cuEventRecord"));
    return 0;
}
