/* SPDX-License-Identifier: MIT */
/* holder.c - a program that only has memory of a GPU.
 *
 *   holder two MB    two threads have so much each; the second one begins a moment after the first
 *   holder WHAT MB   has so much, does WHAT, then takes 1 MB more, until it is killed: `destroy` or `reset` ends the context, `last` gives up
 *                    its only reference to it, `other` one of two; `host` has memory of the host, `device` some that is of no context
 *
 * Prints "right". */
#include "api.h"

#include <unistd.h>

static CUcontext context;
static size_t n_bytes;

static void *hold(void *unused)
{
    CUdeviceptr p;
    (void)unused;
    TRY(cu.cuCtxSetCurrent(context));
    TRY(cu.cuMemAlloc(&p, n_bytes));
    TRY(cu.cuMemFree(p));
    return NULL;
}

static void hold_twice(void)
{
    pthread_t first, second;
    TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    if (pthread_create(&first, NULL, hold, NULL) || usleep(200000) || pthread_create(&second, NULL, hold, NULL))
        abort();
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

static void create(int type)
{
    CUmemAllocationProp p = {.location = {.type = type}};
    CUmemGenericAllocationHandle h;
    TRY(cu.cuMemCreate(&h, n_bytes, &p, 0));
}

/* The context that is to end is current, and has the memory. */
static void end(const char *what)
{
    if (!strcmp(what, "destroy"))
        TRY(cu.cuCtxDestroy(context));
    else if (!strcmp(what, "reset"))
        TRY(cu.cuDevicePrimaryCtxReset(0));
    else
        TRY(cu.cuDevicePrimaryCtxRelease(0));
}

static void hold_on(const char *what)
{
    CUdeviceptr p;
    CUcontext other;
    TRY(cu.cuCtxCreate(&other, 0, 0));
    if (!strcmp(what, "destroy"))
        TRY(cu.cuCtxCreate(&context, 0, 0));
    else
        TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    if (!strcmp(what, "other"))
        TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu.cuCtxSetCurrent(context));
    if (!strcmp(what, "host") || !strcmp(what, "device"))
        create(*what == 'd' ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_DEVICE + 1);
    else {
        TRY(cu.cuMemAlloc(&p, n_bytes));
        end(what);
    }
    TRY(cu.cuCtxSetCurrent(other));
    TRY(cu.cuMemAlloc(&p, 1 << 20));
    pause();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    n_bytes = (size_t)atoi(argv[2]) << 20;
    if (strcmp(argv[1], "two"))
        hold_on(argv[1]);
    hold_twice();
    puts("right");
    return 0;
}
