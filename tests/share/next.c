/* SPDX-License-Identifier: MIT */
/* next.c - another interposer behind ours: it wraps getppid, and a function of the driver that ours does not, and asks for the next one.
 * If our dlsym hid the caller, it would be given itself; so it would for a function that both wrap. */
#include "abi.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

pid_t getppid(void)
{
    static int depth;
    void *p = dlsym(RTLD_NEXT, "getppid");
    pid_t (*next)(void), answer;
    if (!p || depth++)
        return -2;
    memcpy((void *)&next, &p, sizeof p);
    answer = next();
    depth = 0;
    return answer == -2 ? -2 : 4711;
}

/* The function behind this one; NULL: there is none, or it is this one. */
static void *behind(const char *name, const void *own)
{
    void *p = dlsym(RTLD_NEXT, name);
    return p == own ? NULL : p;
}

#define PASSES_ON(name, params, args)                           \
    CUresult name params;                                       \
    CUresult name params                                        \
    {                                                           \
        void *at = behind(#name, (__extension__(void *) name)); \
        CUresult(*next) params;                                 \
        if (!at)                                                \
            return CUDA_ERROR_NOT_FOUND;                        \
        memcpy((void *)&next, &at, sizeof at);                  \
        return next args;                                       \
    }
PASSES_ON(cuInit, (unsigned flags), (flags))
PASSES_ON(cuMemAlloc_v2, (CUdeviceptr * p, size_t n), (p, n))
PASSES_ON(cuMemFree_v2, (CUdeviceptr p), (p))
