/* SPDX-License-Identifier: MIT */
/* streams.c - a program that launches into streams and waits for one, for another, or for all.
 *
 *   streams FOLDER    after each step it prints the step's number, and goes on when a file of that number is in the folder
 *
 * Prints "right" at its end. */
#include "api.h"

#include "check.h"

#include <unistd.h>

enum { N_BYTES = 4 << 20 };

static const char *folder;
static CUfunction function;
static CUdeviceptr device;
static void *host;

static void wait_for_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    while (access(path, F_OK))
        usleep(1000);
}

/* The driver calls it by its name. */
__attribute__((visibility("default"))) void compute(void **params);
void compute(void **params)
{
    if (*(uint64_t *)params[0])
        wait_for_file("let");
}

static void launch(CUstream s, uint64_t waits)
{
    void *params[] = {&waits, NULL};
    TRY(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
}

static void step(void)
{
    static int n;
    char name[16];
    snprintf(name, sizeof name, "%d", ++n);
    puts(name);
    fflush(stdout);
    wait_for_file(name);
}

static void copy(void) { TRY(cu.cuMemcpyHtoD(device, host, N_BYTES)); }

/* Two streams that nothing orders. */
static void use_two(CUstream a, CUstream b)
{
    launch(a, 1);
    TRY(cu.cuStreamSynchronize(b));
    step(); /* 1: it computes */
    TRY(cu.cuStreamSynchronize(a));
    step(); /* 2: no longer */
    launch(a, 0);
    launch(b, 0);
    TRY(cu.cuStreamSynchronize(a));
    step(); /* 3: b may */
    TRY(cu.cuCtxSynchronize());
    step(); /* 4: no longer */
}

/* A blocking copy comes behind one of them. */
static void copy_behind(CUstream a, CUstream blocking)
{
    launch(blocking, 0);
    copy();
    step(); /* 5: no longer */
    launch(a, 0);
    copy();
    step(); /* 6: a may */
}

/* What is captured does not compute. */
static void capture(CUstream a, CUstream b)
{
    CUgraph g;
    TRY(cu.cuCtxSynchronize());
    TRY(cu.cuStreamBeginCapture(a, 0));
    launch(a, 0);
    TRY(cu.cuStreamEndCapture(a, &g));
    launch(b, 0);
    TRY(cu.cuStreamSynchronize(b));
    step(); /* 7: it has waited for all that computed */
}

/* What a context had has ended with it. */
static void end_context(CUcontext before)
{
    CUcontext c;
    CUstream s;
    TRY(cu.cuCtxCreate(&c, 0, 0));
    TRY(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    launch(s, 0);
    TRY(cu.cuCtxDestroy(c));
    TRY(cu.cuCtxSetCurrent(before));
    step(); /* 8: no longer */
}

int main(int argc, char **argv)
{
    CUstream a, b, blocking;
    CUcontext c;
    if (argc < 2)
        return 2;
    folder = argv[1];
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&device, N_BYTES));
    TRY(cu.cuModuleGetFunction(&function, NULL, "compute"));
    TRY(cu.cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    TRY(cu.cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    TRY(cu.cuStreamCreate(&blocking, 0));
    host = calloc(1, N_BYTES);
    CHECK(host);
    copy();
    use_two(a, b);
    copy_behind(a, blocking);
    capture(a, b);
    end_context(c);
    puts("right");
    return 0;
}
