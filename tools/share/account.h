/* SPDX-License-Identifier: MIT */
/* account.h - memory of devices that this process has. A program that declared its peak waits before its first allocation until
 * there is room for it; the same goes for a peak of earlier runs. Of others an allocation that does not fit waits while somebody else may free some. */
#ifndef SHARE_ACCOUNT_H
#define SHARE_ACCOUNT_H

#include "driver.h"

/* What is about to be allocated. */
typedef struct share_wish {
    size_t n_bytes;
    int is_of_context; /* the end of the current context frees it */
    int is_elsewhere;  /* on this device, whichever is current */
    CUdevice device;
} share_wish;

void share_account_begin(const share_driver *real, const share_wish *w);
/* The driver had no memory: 1 = try again. */
int share_account_again(const share_driver *real, const share_wish *w, unsigned n_tries);
void share_account_add(const share_driver *real, uint64_t key, const share_wish *w);
/* What was allocated, to be freed or put back when that failed; NULL: not known. */
struct share_account *share_account_take(uint64_t key);
void share_account_freed(struct share_account *a);
void share_account_put_back(struct share_account *a);

/* The device's primary context, as a program had it; NULL: not known. */
void share_account_primary_is(CUdevice d, CUcontext c);
CUcontext share_account_primary(CUdevice d);
/* How many allocations there were. */
uint64_t share_account_count(void);
/* It has ended, and what was allocated in it is free. Asked for before its end: until; another thread may get the same context and addresses again at
 * once, and its allocations come later. */
void share_account_forget(CUcontext c, uint64_t until);

#endif
