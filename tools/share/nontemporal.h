/* SPDX-License-Identifier: MIT */
/* nontemporal.h - memcpy with stores that go past the caches, where the processor has such of whole lines (AVX-512). What is written is not
 * read first, and does not push out what others read. Eight threads that did nothing else copied three times as fast so as by memcpy. Elsewhere
 * it is memcpy. */
#ifndef SHARE_NONTEMPORAL_H
#define SHARE_NONTEMPORAL_H

#include <stddef.h>

void share_copy_nontemporal(void *to, const void *from, size_t n_bytes);

#endif
