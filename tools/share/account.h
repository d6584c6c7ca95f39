/* SPDX-License-Identifier: MIT */
/* account.h - memory of devices that this process has. A program that declared its peak waits before its first allocation until
 * there is room for it; the same goes for a peak of earlier runs. Of others an allocation that does not fit waits while somebody else may free some. */
#ifndef SHARE_ACCOUNT_H
#define SHARE_ACCOUNT_H

#include "driver.h"

void share_account_begin(const share_driver *real, size_t n_bytes);
/* The driver had no memory: 1 = try again. */
int share_account_again(const share_driver *real, size_t n_bytes, unsigned n_tries);
void share_account_add(const share_driver *real, uint64_t key, size_t n_bytes);
/* Its bytes and the number of its GPU; 0: not known. */
size_t share_account_take(uint64_t key, int *gpu);
void share_account_freed(int gpu, size_t n_bytes);
/* The free failed: what was taken is put back. */
void share_account_put_back(int gpu, uint64_t key, size_t n_bytes);

#endif
