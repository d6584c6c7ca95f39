/* SPDX-License-Identifier: MIT */
/* pool_table.h - how a resident pool in mode table gets its lines to the GPU, and ends back: by CUDA's copies (pool_table.c). */
#ifndef HD_CUDA_POOL_TABLE_H
#define HD_CUDA_POOL_TABLE_H

#include "backend/cuda/pool.h"

#include "heddle/core/wire.h"

typedef struct hd_pool_table {
    pthread_mutex_t mutex; /* places in their order; guards calls */
    cudaStream_t stream;
    /* in device memory: */
    hd_wire_line *lines;
    hd_told *told;
    hd_live *live;
    uint32_t whole; /* atomic: lines before this place are on the GPU, or on their way */
} hd_pool_table;

/* After the pool's words were pinned. */
heddle_status hd_pool_table_new(hd_loaded *l, const hd_wire *wire, hd_pool_table **out, hd_error *e);
void hd_pool_table_delete(hd_pool_table *t); /* NULL is allowed */

/* The rest with the table's mutex. The line of that place was written into the wire: copies it, but for its last unit, and that of the
 * line before, which says that that is complete. */
void hd_pool_table_put(hd_loaded *l, hd_pool_table *t, const hd_wire *wire, uint32_t place);
/* Completes the last line before `next`, and copies all ends back. */
void hd_pool_table_flush(hd_loaded *l, hd_pool_table *t, const hd_wire *wire, uint32_t next);

#endif
