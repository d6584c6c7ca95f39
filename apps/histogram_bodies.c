/* SPDX-License-Identifier: MIT */
/* histogram_bodies.c - the body of histogram: how often each value occurs among the bytes of a tile. Several tables of counts are
 * added up at the end. A lone thread fills them in turn: the same value again needs not wait for its last count to be stored. */
#include "histogram_bodies.h"

#include <string.h>

/* 16 bytes, read at once. */
typedef struct bytes16 {
    uint32_t word[4];
} __attribute__((aligned(16))) bytes16;

HEDDLE_FN void count_alone(const uint8_t *at, uint64_t n, uint32_t *tables)
{
    uint64_t i, word;
    for (i = 0; i + 8u <= n; i += 8u) {
        memcpy(&word, at + i, sizeof word);
        for (uint32_t k = 0; k < 8u; k++)
            tables[k % HISTOGRAM_TABLES * HISTOGRAM_BINS + (uint32_t)(word >> 8u * k & 255u)]++;
    }
    for (; i < n; i++)
        tables[at[i]]++;
}

HEDDLE_FN void count_byte(uint32_t *table, uint32_t byte) { (void)HEDDLE_ATOMIC_ADD(&table[byte], 1u, RELAXED, BLOCK); }

HEDDLE_FN void count_together(const heddle_thread *thread, const uint8_t *at, uint64_t n, uint32_t *tables)
{
    uint32_t *table = tables + thread->index / 32u % HISTOGRAM_TABLES * HISTOGRAM_BINS;
    const uint64_t n_whole = (uintptr_t)at % 16u ? 0 : n / 16u;
    uint64_t i;
    for (i = thread->index; i < n_whole; i += thread->team_size) {
        const bytes16 b = ((const bytes16 *)(const void *)at)[i];
        for (uint32_t k = 0; k < 16u; k++)
            count_byte(table, b.word[k / 4u] >> 8u * (k % 4u) & 255u);
    }
    for (i = n_whole * 16u + thread->index; i < n; i += thread->team_size)
        count_byte(table, at[i]);
}

HEDDLE_LOOP(histogram_count, histogram_record, params, s)
{
    uint32_t *tables = (uint32_t *)heddle_team_shared(thread);
    int64_t *bins = params->bins + s->tile * HISTOGRAM_BINS;
    const uint64_t begin = s->begin * HISTOGRAM_ROW, all = s->end * HISTOGRAM_ROW,
                   end = all < params->n ? all : params->n;
    HEDDLE_EACH (k, HISTOGRAM_TABLES * HISTOGRAM_BINS)
        tables[k] = 0;
    heddle_team_barrier(thread);
    if (HEDDLE_ON_HOST && thread->team_size == 1u)
        count_alone(params->bytes + begin, end - begin, tables);
    else
        count_together(thread, params->bytes + begin, end - begin, tables);
    heddle_team_barrier(thread);
    HEDDLE_EACH (k, HISTOGRAM_BINS) {
        uint32_t sum = 0;
        for (uint32_t t = 0; t < HISTOGRAM_TABLES; t++)
            sum += tables[t * HISTOGRAM_BINS + (uint32_t)k];
        bins[k] = sum;
    }
}

HEDDLE_LOOP_TABLE(histogram, histogram_record, HISTOGRAM_BODIES)
