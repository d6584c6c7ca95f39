/* SPDX-License-Identifier: MIT */
/* pool_words.c - see pool_words.h. */
#include "backend/pool_words.h"

#include "heddle/pool.h"

#include <string.h>

int hd_pool_words_new(hd_pool *p, uint32_t n_host, uint32_t n_arena, uint32_t n_workers, uint32_t is_traced)
{
    memset(p, 0, sizeof *p);
    p->n_host = n_host;
    p->n_workers = n_workers;
    p->most_threads = HEDDLE_POOL_MOST_THREADS;
    p->slot_bytes.host = sizeof *p->fates + sizeof *p->told + sizeof *p->news + sizeof *p->urgent +
                         (is_traced ? sizeof *p->stamps + sizeof *p->stamp_words : 0u);
    p->fates = hd_new_sparse((uint64_t)n_arena * sizeof *p->fates);
    p->told = hd_new_sparse((uint64_t)n_host * sizeof *p->told);
    p->news = hd_new_sparse((uint64_t)n_host * sizeof *p->news);
    p->news_end = hd_new(HD_LINE);
    p->urgent = hd_new_sparse((uint64_t)n_host * sizeof *p->urgent);
    p->urgent_at = hd_new(sizeof *p->urgent_at);
    p->live_apart = HD_LINE / sizeof *p->live;
    p->live = hd_new((uint64_t)n_workers * HD_LINE);
    if (is_traced) {
        p->stamps = hd_new_sparse((uint64_t)n_host * sizeof *p->stamps);
        p->stamp_words = hd_new_sparse((uint64_t)n_host * sizeof *p->stamp_words);
    }
    if (p->fates && p->told && p->news && p->news_end && p->urgent && p->urgent_at && p->live &&
        (!is_traced || (p->stamps && p->stamp_words)))
        return 0;
    hd_pool_words_delete(p, n_arena, n_workers);
    return -1;
}

void hd_pool_words_delete(hd_pool *p, uint32_t n_arena, uint32_t n_workers)
{
    hd_delete_sparse(p->fates, (uint64_t)n_arena * sizeof *p->fates);
    hd_delete_sparse(p->told, (uint64_t)p->n_host * sizeof *p->told);
    hd_delete_sparse(p->news, (uint64_t)p->n_host * sizeof *p->news);
    hd_delete(p->news_end, HD_LINE);
    hd_delete_sparse(p->urgent, (uint64_t)p->n_host * sizeof *p->urgent);
    hd_delete(p->urgent_at, sizeof *p->urgent_at);
    hd_delete(p->live, (uint64_t)n_workers * HD_LINE);
    hd_delete_sparse(p->stamps, (uint64_t)p->n_host * sizeof *p->stamps);
    hd_delete_sparse(p->stamp_words, (uint64_t)p->n_host * sizeof *p->stamp_words);
    memset(p, 0, sizeof *p);
}
