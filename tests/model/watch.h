/* SPDX-License-Identifier: MIT */
/* watch.h - plain memory under the explorer: code compiled with -fsanitize=thread calls a function at each access, and watch.c has
 * these functions. Every 4 bytes of what is watched are one of the explorer's cells, from MODEL_QUIET_CELLS on. */
#ifndef MODEL_WATCH_H
#define MODEL_WATCH_H

#include <stddef.h>

/* Before each schedule, when the memory is as it shall be; and after it. */
void watch_begin(const void *block, size_t n_bytes);
void watch_end(void);
/* memcpy, watched: gcc leaves copies to a library that is not here. */
void *watch_copy(void *to, const void *from, size_t n_bytes);

#endif
