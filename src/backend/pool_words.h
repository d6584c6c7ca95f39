/* SPDX-License-Identifier: MIT */
/* pool_words.h - the words of a pool in host memory, for backends with threads as workers. */
#ifndef HD_POOL_WORDS_H
#define HD_POOL_WORDS_H

#include "backend/backend.h"
#include "heddle/core/pool.h"

/* Makes the words of a pool: n_host slots of the host (a power of two), of n_arena in all; is_traced: with stamps. -1 without
 * memory. */
int hd_pool_words_new(hd_pool *p, uint32_t n_host, uint32_t n_arena, uint32_t n_workers, uint32_t is_traced);
void hd_pool_words_delete(hd_pool *p, uint32_t n_arena, uint32_t n_workers);

#endif
