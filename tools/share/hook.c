/* SPDX-License-Identifier: MIT */
/* hook.c - look-ups of the driver's functions (hook.h). */
#include "hook.h"

#include "driver.h"

#include <dlfcn.h>
#include <string.h>

typedef struct hook {
    const char *name;
    size_t real; /* where share_driver has the driver's address */
    void *wrapper;
} hook;

/* A function's address as the loader gives it. */
#define HOOK(name, params) {#name, offsetof(share_driver, name), (__extension__(void *) name)},
static const hook hooks[] = {SHARE_WRAPPED(HOOK)};
#undef HOOK
enum { N_HOOKS = sizeof hooks / sizeof hooks[0] };

static void *wrapper_of(const share_driver *d, void *p)
{
    for (size_t i = 0; i < N_HOOKS; i++)
        if (*(void *const *)((const char *)d + hooks[i].real) == p)
            return hooks[i].wrapper;
    return p;
}

static int is_wrapper(const void *p)
{
    for (size_t i = 0; i < N_HOOKS; i++)
        if (hooks[i].wrapper == p)
            return 1;
    return 0;
}

static int is_wrapped(const char *name)
{
    for (size_t i = 0; i < N_HOOKS; i++)
        if (!strcmp(hooks[i].name, name))
            return 1;
    return 0;
}

/* What RTLD_NEXT finds depends on the caller, and so does what RTLD_DEFAULT finds for names that are not ours. The C library tells the caller
 * by its return address, and is jumped to. */
__attribute__((no_sanitize("address", "thread", "undefined"))) int share_hook_takes(void *handle, const char *name)
{
    share_driver_begin();
    return share_real_dlsym && name && name[0] == 'c' && name[1] == 'u' && handle != RTLD_NEXT &&
           (handle != RTLD_DEFAULT || is_wrapped(name));
}

/* A search of the whole program finds our own names first, also where there is no driver: then it has found nothing. */
static void *own(void *p)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        dlclose(driver);
    return driver ? p : NULL;
}

void *share_hook_dlsym(void *handle, const char *name)
{
    void *p = share_real_dlsym(handle, name);
    const share_driver *d;
    if (!p)
        return NULL;
    if (is_wrapper(p))
        return own(p);
    d = share_driver_of(p);
    return d ? wrapper_of(d, p) : p;
}

CUresult cuGetProcAddress(const char *name, void **p, int version, uint64_t flags)
{
    const share_driver *d = share_driver_of(NULL);
    CUresult r;
    if (!d || !d->cuGetProcAddress)
        return CUDA_ERROR_NOT_FOUND;
    r = d->cuGetProcAddress(name, p, version, flags);
    if (r == CUDA_SUCCESS && p && *p)
        *p = wrapper_of(d, *p);
    return r;
}

CUresult cuGetProcAddress_v2(const char *name, void **p, int version, uint64_t flags, void *status)
{
    const share_driver *d = share_driver_of(NULL);
    CUresult r;
    if (!d || !d->cuGetProcAddress_v2)
        return CUDA_ERROR_NOT_FOUND;
    r = d->cuGetProcAddress_v2(name, p, version, flags, status);
    if (r == CUDA_SUCCESS && p && *p)
        *p = wrapper_of(d, *p);
    return r;
}
