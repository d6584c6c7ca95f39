/* SPDX-License-Identifier: MIT */
/* lookup.c - cuGetProcAddress of the fake driver: names without their ending, in the form that the version and the kind of
 * default stream ask for. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

typedef struct named {
    const char *name;
    void *function;
} named;
#define NAMED(name, params) {#name, (__extension__(void *) name)},
static const named functions[] = {SHARE_WRAPPED(NAMED) SHARE_USED(NAMED) FAKE_MORE(NAMED)};

/* Stands for a function that is newer than those which anybody knows. */
static CUresult newer(void) { return CUDA_ERROR_NOT_SUPPORTED; }

static void *find(const char *name, const char *ending)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s%s", name, ending);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!strcmp(functions[i].name, whole))
            return functions[i].function;
    return NULL;
}

/* Its second form came with CUDA 13. */
static int is_too_new(const char *name, const char *ending, int version)
{
    return version < 13000 && !strcmp(name, "cuCtxSynchronize") && *ending;
}

static CUresult look_up(const char *name, void **p, int version, uint64_t flags)
{
    static const char *const endings[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""};
    void *found = fake_listed("FAKE_CUDA_NEWER", name) ? (__extension__(void *) newer) : NULL;
    for (size_t i = flags & 2 ? 0 : 4; !found && i < sizeof endings / sizeof endings[0]; i++)
        found = is_too_new(name, endings[i], version) ? NULL : find(name, endings[i]);
    if (!found || fake_listed("FAKE_CUDA_MISSING", name))
        return CUDA_ERROR_NOT_FOUND;
    *p = found;
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *name, void **p, int version, uint64_t flags)
{
    ENTER(cuGetProcAddress);
    return look_up(name, p, version, flags);
}

CUresult cuGetProcAddress_v2(const char *name, void **p, int version, uint64_t flags, void *status)
{
    (void)status;
    ENTER(cuGetProcAddress_v2);
    if (version < 12000 && !strcmp(name, "cuGetProcAddress")) {
        *p = (__extension__(void *) cuGetProcAddress);
        return CUDA_SUCCESS;
    }
    return look_up(name, p, version, flags);
}

CUresult cuDriverGetVersion(int *version)
{
    ENTER(cuDriverGetVersion);
    *version = 12080;
    return CUDA_SUCCESS;
}
