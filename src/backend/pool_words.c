/* SPDX-License-Identifier: MIT */
/* pool_words.c - see pool_words.h. */
#include "backend/pool_words.h"

#include "heddle/core/spawn_buffer.h"

#include <string.h>

int hd_pool_words_new(hd_pool *p, uint32_t n_host, uint32_t n_arena, uint32_t n_workers)
{
    memset(p, 0, sizeof *p);
    p->n_host = n_host;
    p->n_workers = n_workers;
    p->fates = hd_new_sparse((uint64_t)n_arena * sizeof *p->fates);
    p->told = hd_new_sparse((uint64_t)n_host * sizeof *p->told);
    p->news = hd_new_sparse((uint64_t)n_host * sizeof *p->news);
    p->news_end = hd_new(HD_LINE);
    p->live = hd_new((uint64_t)n_workers * sizeof *p->live);
    if (p->fates && p->told && p->news && p->news_end && p->live)
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
    hd_delete(p->live, (uint64_t)n_workers * sizeof *p->live);
    memset(p, 0, sizeof *p);
}

static void *room_for_args(const hd_run *r, hd_task *task, uint32_t slot)
{
    if (task->arg_bytes <= HD_INLINE_ARGS)
        return task->args;
    task->args_at = r->child_args_at + slot * r->child_args;
    return (void *)(uintptr_t)(r->args + (uint64_t)task->args_at * 16u);
}

hd_task *hd_pool_fill(const hd_run *r, const hd_sent *s)
{
    const uint32_t t = r->n_tasks + s->slot;
    hd_task *task = hd_child_at(r, t);
    memset(task, 0, offsetof(hd_task, args));
    task->body = (uint16_t)s->body;
    task->flags = (uint16_t)s->flags;
    task->n_in = s->n_after;
    task->arg_bytes = s->arg_bytes;
    task->cost_ns = s->n_blocks;
    task->links.waiters = task->links.next = task->links.parent = task->links.ends_for = HD_NONE;
    task->links.pinned = HD_NONE;
    HD_STORE(hd_blocks_open(task), s->n_blocks + 1u, RELAXED, DEV);
    HD_STORE(&task->links.done_word, s->generation << HD_DONE_WORD_BITS, RELAXED, DEV);
    if (s->arg_bytes)
        memcpy(room_for_args(r, task, s->slot), s->args, s->arg_bytes);
    if (s->n_after)
        memcpy(r->after[s->slot].handle, s->after, s->n_after * sizeof *s->after);
    hd_fate_clear(r, t);
    return task;
}
