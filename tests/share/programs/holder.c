/* SPDX-License-Identifier: MIT */
/* holder.c - a program that only has memory of a GPU.
 *
 *   holder two|apart MB   two threads have so much each; the second one begins a moment after the first; apart: of the next GPU
 *   holder WHAT MB   has so much, does WHAT, then takes 1 MB more, until it is killed: `destroy` or `reset` ends the context, `last` gives up
 *                    its only reference to it, `other` one of two; `host` has memory of the host, `device` some that is of no context,
 *                    `next` such of the next GPU
 *
 * Prints "second" when that one has had its own, and "right". */
#include "api.h"

#include <unistd.h>

static size_t n_bytes;

static void *hold(void *context)
{
    CUdeviceptr p;
    TRY(cu.cuCtxSetCurrent(context));
    TRY(cu.cuMemAlloc(&p, n_bytes));
    TRY(cu.cuMemFree(p));
    return NULL;
}

static void hold_twice(int is_apart)
{
    CUcontext contexts[2];
    pthread_t first, second;
    TRY(cu.cuDevicePrimaryCtxRetain(&contexts[0], 0));
    TRY(cu.cuDevicePrimaryCtxRetain(&contexts[1], is_apart));
    if (pthread_create(&first, NULL, hold, contexts[0]) || usleep(200000) ||
        pthread_create(&second, NULL, hold, contexts[1]))
        abort();
    pthread_join(second, NULL);
    puts("second");
    fflush(stdout);
    pthread_join(first, NULL);
}

static void create(int type, int id)
{
    CUmemAllocationProp p = {.location = {.type = type, .id = id}};
    CUmemGenericAllocationHandle h;
    TRY(cu.cuMemCreate(&h, n_bytes, &p, 0));
}

/* It is current, and has the memory. */
static void end(const char *what, CUcontext context)
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
    CUcontext context, other;
    TRY(cu.cuCtxCreate(&other, 0, 0));
    if (!strcmp(what, "destroy"))
        TRY(cu.cuCtxCreate(&context, 0, 0));
    else
        TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    if (!strcmp(what, "other"))
        TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu.cuCtxSetCurrent(context));
    if (!strcmp(what, "host"))
        create(CU_MEM_LOCATION_TYPE_DEVICE + 1, 0);
    else if (!strcmp(what, "device") || !strcmp(what, "next"))
        create(CU_MEM_LOCATION_TYPE_DEVICE, *what == 'n');
    else {
        TRY(cu.cuMemAlloc(&p, n_bytes));
        end(what, context);
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
    if (strcmp(argv[1], "two") && strcmp(argv[1], "apart"))
        hold_on(argv[1]);
    hold_twice(!strcmp(argv[1], "apart"));
    puts("right");
    return 0;
}
