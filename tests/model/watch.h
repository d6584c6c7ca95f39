/* SPDX-License-Identifier: MIT */
/* watch.h - plain memory under the explorer: code compiled with -fsanitize=thread calls hooks of watch.c at each access.
 * Every 4 watched bytes are one of the explorer's cells, from MODEL_QUIET_CELLS on. */
#ifndef MODEL_WATCH_H
#define MODEL_WATCH_H

#include <stddef.h>

/* Called before each schedule, once the memory is initialized; and after it. */
void watch_begin(const void *block, size_t n_bytes);
void watch_end(void);
/* A watched memcpy: gcc leaves copies to the interceptors of a library that is not linked. */
void *watch_copy(void *to, const void *from, size_t n_bytes);

#endif
