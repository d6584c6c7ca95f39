/* SPDX-License-Identifier: MIT */
/* watch.c - implements watch.h. Compiled without -fsanitize=thread itself. */
#include <stdio.h>
#include <stdlib.h>

#include "explore.h"
#include "watch.h"

static const unsigned char *begin;
static size_t n_watched;

void watch_begin(const void *block, size_t n_bytes)
{
    if (MODEL_QUIET_CELLS + n_bytes / 4u > MODEL_MAX_CELLS) {
        printf("%zu bytes are more than there are cells for\n", n_bytes);
        exit(1);
    }
    begin = block;
    n_watched = n_bytes;
}

void watch_end(void) { n_watched = 0; }

static void touch_memory(const void *p, size_t n_bytes, int writes)
{
    const size_t at = (size_t)((const unsigned char *)p - begin);
    size_t i;
    if (at >= n_watched)
        return;
    for (i = at / 4u; i <= (at + n_bytes - 1u) / 4u; i++)
        (writes ? model_write_cell : model_read_cell)(MODEL_QUIET_CELLS + (uint32_t)i, "memory that is watched");
}

#include "tsan.h"

void *watch_copy(void *to, const void *from, size_t n_bytes) { return __tsan_memcpy(to, from, n_bytes); }
