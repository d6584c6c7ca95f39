/* SPDX-License-Identifier: MIT */
/* holder.c - a program that only has memory of a GPU.
 *
 *   holder two MB    two threads have so much each; the second one begins a moment after the first
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

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    n_bytes = (size_t)atoi(argv[2]) << 20;
    hold_twice();
    puts("right");
    return 0;
}
