/* SPDX-License-Identifier: MIT */
/* no_cublas.c - a library to be loaded before heddle (LD_PRELOAD): each device that has memory is a GPU, by what its fleet says, and there is no
 * cuBLAS. So a test sees what is said where a library is missing, on any machine. */
#include "heddle/fleet.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *real(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f)
        abort();
    return f;
}

heddle_status heddle_fleet_get_unit(const heddle_fleet *f, uint32_t index, heddle_fleet_unit *out)
{
    heddle_status (*get)(const heddle_fleet *, uint32_t, heddle_fleet_unit *);
    heddle_status s;
    *(void **)&get = real("heddle_fleet_get_unit");
    s = get(f, index, out);
    if (s == HEDDLE_OK && out->memory_bytes)
        out->ctx = (heddle_ctx *)(uintptr_t)f; /* not NULL, and not looked into */
    return s;
}

void *dlopen(const char *name, int flags)
{
    void *(*open)(const char *, int);
    *(void **)&open = real("dlopen");
    return name && strstr(name, "cublas") ? NULL : open(name, flags);
}
