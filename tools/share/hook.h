/* SPDX-License-Identifier: MIT */
/* hook.h - how programs come to call the wrappers: dlsym, cuGetProcAddress, and the names themselves for programs that
 * are linked with the driver.
 *
 * A function is recognised by the address that the real driver returned, never by its name and a version. What is not
 * known, a newer form of a known name included, stays the driver's. */
#ifndef SHARE_HOOK_H
#define SHARE_HOOK_H

#include "abi.h"

#define SHARE_EXPORT __attribute__((visibility("default")))
#define SHARE_WRAPPER(name, params) SHARE_EXPORT CUresult name params;
SHARE_WRAPPED(SHARE_WRAPPER)
#undef SHARE_WRAPPER

/* Called by the assembly of dlsym, also before anything else of ours has begun. Whether the program that asked for this name is to get what
 * share_hook_dlsym says, or what the C library does. */
int share_hook_takes(void *handle, const char *name);
void *share_hook_dlsym(void *handle, const char *name);

#endif
