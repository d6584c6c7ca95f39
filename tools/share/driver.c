/* SPDX-License-Identifier: MIT */
/* driver.c - finds the real driver (driver.h). */
#include "driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

share_dlsym_fn share_real_dlsym;
static _Atomic(share_driver *) the_driver;

/* The C library is searched under each version that dlsym has had: we are before it, so the next one is its own. It
 * runs before a sanitizer has begun. */
__attribute__((no_sanitize("address", "thread", "undefined"))) void share_driver_begin(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; !share_real_dlsym && i < sizeof versions / sizeof versions[0]; i++) {
        void *p = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        if (p)
            __builtin_memcpy(&share_real_dlsym, &p, sizeof p);
    }
}

const share_driver *share_driver_loaded(void) { return atomic_load_explicit(&the_driver, memory_order_acquire); }

static int is_driver_name(const char *path)
{
    const char *name = strrchr(path, '/');
    return !strncmp(name ? name + 1 : path, "libcuda.so", strlen("libcuda.so"));
}

static void *handle_of(const void *function)
{
    Dl_info info;
    void *handle;
    if (function)
        return dladdr(function, &info) && info.dli_fname && is_driver_name(info.dli_fname)
                   ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                   : NULL;
    handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return handle ? handle : dlopen("libcuda.so.1", RTLD_LAZY);
}

static void fill(share_driver *d, void *handle)
{
    void *p;
#define FIND(name, params)               \
    p = share_real_dlsym(handle, #name); \
    memcpy((void *)&d->name, &p, sizeof p);
    SHARE_WRAPPED(FIND)
    SHARE_USED(FIND)
#undef FIND
}

const share_driver *share_driver_of(const void *function)
{
    share_driver *found = share_driver_loaded() ? NULL : calloc(1, sizeof *found), *none = NULL;
    void *handle;
    if (!found)
        return share_driver_loaded();
    share_driver_begin();
    handle = share_real_dlsym ? handle_of(function) : NULL;
    if (handle)
        fill(found, handle);
    if (!handle || !atomic_compare_exchange_strong(&the_driver, &none, found))
        free(found);
    return share_driver_loaded();
}
