/* SPDX-License-Identifier: MIT */
/* link.h - what the link to the GPU can do, without heddle. */
#ifndef PAGODA_LINK_H
#define PAGODA_LINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LINK_ERROR = 160 };
/* Milliseconds for so many bytes of pinned memory to the GPU and so many back, both at once, in copies of 4 MiB: the least of seven
 * runs. Nonzero: why not is in error. */
int link_time(uint64_t in_bytes, uint64_t out_bytes, double *ms, char error[LINK_ERROR]);

#ifdef __cplusplus
}
#endif

#endif
