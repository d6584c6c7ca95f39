/* SPDX-License-Identifier: MIT */
/* driver.h - the real driver: the addresses of its functions, found once. Those that it lacks are NULL.
 *
 * It is the library that holds the function which a program looked up first, so that a driver loaded by its path is
 * taken, too; for a program linked with the driver, the one of the usual name. No lock is taken on the way, because
 * the loader may hold its own: two threads may both look, and the first answer stays. */
#ifndef SHARE_DRIVER_H
#define SHARE_DRIVER_H

#include "abi.h"

#define SHARE_FIELD(name, params) CUresult(*name) params;
typedef struct share_driver {
    SHARE_WRAPPED(SHARE_FIELD)
    SHARE_USED(SHARE_FIELD)
} share_driver;
#undef SHARE_FIELD

/* dlsym of the C library. */
typedef void *(*share_dlsym_fn)(void *handle, const char *name);
extern share_dlsym_fn share_real_dlsym;
/* Finds it; called before the first use of share_real_dlsym by anybody. */
void share_driver_begin(void);

/* The driver, or NULL when none is loaded yet. */
const share_driver *share_driver_loaded(void);
/* The same; a function of the driver is given, NULL: the usual name is looked for. NULL: it is not in a driver. */
const share_driver *share_driver_of(const void *function);

#endif
