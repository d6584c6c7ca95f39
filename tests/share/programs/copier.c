/* SPDX-License-Identifier: MIT */
/* copier.c - a program that copies large blocks, one after the other, and checks them.
 *
 *   copier MBYTES ROUNDS KIND [WAY [GPUS [HZ]]]   ROUNDS: so many, or until a file of this name (with a slash) is there; KIND: pageable, pinned, async (pinned, in a stream), pool (pinned; memory of the device from a pool);
 *                                                 WAY: in, out, both; GPUS: so many in turn (1); HZ: a timer's signals interrupt it so often
 *
 * Prints "right", its longest copy in ms, and what the driver saw. */
#include "api.h"

#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void do_nothing(int signal) { (void)signal; }

static void start_timer(int hz)
{
    const struct timeval t = {0, 1000000 / hz};
    const struct itimerval often = {t, t};
    struct sigaction a = {.sa_handler = do_nothing};
    CHECK(!sigaction(SIGALRM, &a, NULL) && !setitimer(ITIMER_REAL, &often, NULL));
}

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
    CUcontext context;
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

/* A block in a context of this GPU. */
static void open_block(block *b, int gpu, const char *kind)
{
    void *p = NULL;
    TRY(cu.cuDevicePrimaryCtxRetain(&b->context, gpu));
    TRY(cu.cuCtxSetCurrent(b->context));
    if (!strcmp(kind, "pool"))
        TRY(cu.cuMemAllocFromPoolAsync(&b->device, b->n, NULL, NULL));
    else
        TRY(cu.cuMemAlloc(&b->device, b->n));
    TRY(cu.cuStreamCreate(&b->stream, 0));
    if (!strcmp(kind, "pageable"))
        p = malloc(b->n);
    else
        TRY(cu.cuMemHostAlloc(&p, b->n, 0));
    b->host = p;
    b->is_async = !strcmp(kind, "async");
}

/* Returns how long the copy in took, in us. */
static uint64_t copy_once(const block *b, int round, int goes_out)
{
    uint64_t begin, us;
    TRY(cu.cuCtxSetCurrent(b->context));
    for (size_t i = 0; i < b->n; i++)
        b->host[i] = value(i, round);
    begin = now_us();
    copy_in(b);
    us = now_us() - begin;
    check_device(b, round);
    if (!goes_out)
        return us;
    memset(b->host, 0, b->n);
    copy_out(b);
    check_host(b, round);
    return us;
}

static int goes_on(const char *rounds, int round)
{
    return strchr(rounds, '/') ? access(rounds, F_OK) != 0 : round < atoi(rounds);
}

enum { MOST_GPUS = 4 };

int main(int argc, char **argv)
{
    block blocks[MOST_GPUS] = {{.n = 0}};
    int goes_out = argc > 4 && strcmp(argv[4], "in") != 0, n_gpus = argc > 5 ? atoi(argv[5]) : 1;
    uint64_t longest = 0;
    if (argc < 3 || n_gpus > MOST_GPUS)
        return 2;
    if (argc > 6)
        start_timer(atoi(argv[6]));
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    for (int g = 0; g < n_gpus; g++) {
        blocks[g].n = (size_t)atoi(argv[1]) << 20;
        open_block(&blocks[g], g, argc > 3 ? argv[3] : "pageable");
    }
    for (int round = 0; goes_on(argv[2], round / n_gpus); round++) {
        uint64_t us = copy_once(&blocks[round % n_gpus], round, goes_out);
        longest = us > longest ? us : longest;
    }
    for (int g = 0; g < n_gpus; g++) {
        TRY(cu.cuCtxSetCurrent(blocks[g].context));
        TRY(cu.cuMemFree(blocks[g].device));
    }
    printf("right; longest %llu ms; waits in streams %llu; pieces %llu\n", (unsigned long long)(longest / 1000),
           (unsigned long long)cu.calls("cuStreamWaitValue32_v2"), (unsigned long long)cu.calls("cuEventRecord"));
    return 0;
}
