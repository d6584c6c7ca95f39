/* SPDX-License-Identifier: MIT */
/* arena.c - sizes and initial contents of the arena of spawned tasks. */
#include "backend/arena.h"

#include "base/base.h"
#include "heddle/core/spawn.h"
#include "heddle/task.h"

#include <string.h>

static uint32_t most_children(const heddle_table *t)
{
    uint32_t i, most = 0;
    for (i = 0; i < t->n_bodies; i++)
        most = t->bodies[i].n_children > most ? t->bodies[i].n_children : most;
    return most;
}

static uint32_t largest_record(const heddle_table *t)
{
    uint32_t i, most = 0;
    for (i = 0; i < t->n_bodies; i++)
        most = t->bodies[i].arg_bytes > most ? t->bodies[i].arg_bytes : most;
    return most;
}

int hd_arena_is_needed(const hd_graph *g) { return most_children(g->table) != 0; }

void hd_arena_size(hd_run *r, const hd_graph *g, uint32_t n_host, uint32_t n_slots)
{
    const uint32_t n_most = most_children(g->table), need = n_most + hd_extra_of(n_most),
                   record = largest_record(g->table);
    const uint64_t least = (uint64_t)r->n_workers * HD_BATCH + need + HD_BATCH, room = HEDDLE_MAX_TASKS - r->n_tasks;
    uint64_t n = hd_arena_is_needed(g) ? n_slots > least ? n_slots : least : 0;
    uint32_t share;
    n = (n_host + n + HD_BATCH - 1) / HD_BATCH * HD_BATCH;
    r->n_arena = (uint32_t)(n < room ? n : room / HD_BATCH * HD_BATCH);
    r->n_bodies = g->table->n_bodies;
    share = (r->n_arena - n_host) / 4 * 3 /
            r->n_workers; /* a store's share: all stores together leave a quarter for breadth */
    r->n_reserve = share > need + HD_BATCH ? share - need - HD_BATCH : 0;
    if (r->n_reserve > HD_STORE_MAX - 1 - need - 3 * HD_BATCH)
        r->n_reserve = HD_STORE_MAX - 1 - need - 3 * HD_BATCH;
    r->n_store = 1 + r->n_reserve + need + 3 * HD_BATCH;
    r->n_depot = hd_power_of_two(r->n_arena / HD_BATCH + r->n_workers + 2);
    r->child_args = record > HD_INLINE_ARGS ? (record + 15) / 16 : 0;
    r->child_args_at = (uint32_t)((hd_graph_blob(g)->args_bytes + 15) / 16);
    r->has_urgent = 1; /* spawned tasks may be urgent */
}

uint32_t hd_arena_ring(const hd_run *r) { return hd_power_of_two(r->n_tasks + r->n_arena + r->n_workers); }

static int is_sparse(const hd_run *r) { return r->n_arena > r->n_tasks; }

void *hd_arena_new_words(const hd_run *r, uint64_t n_bytes)
{
    return is_sparse(r) ? hd_new_sparse(n_bytes) : hd_new(n_bytes);
}

void hd_arena_clear_words(const hd_run *r, void *block, uint64_t n_bytes)
{
    if (is_sparse(r))
        hd_clear_sparse(block, n_bytes);
    else
        memset(block, 0, (size_t)n_bytes);
}

void hd_arena_delete_words(const hd_run *r, void *block, uint64_t n_bytes)
{
    if (is_sparse(r))
        hd_delete_sparse(block, n_bytes);
    else
        hd_delete(block, n_bytes);
}

void hd_arena_fill_bodies(uint32_t *to, const hd_graph *g)
{
    uint32_t i;
    for (i = 0; i < g->table->n_bodies; i++) {
        to[2 * i] = g->table->bodies[i].arg_bytes;
        to[2 * i + 1] = g->table->bodies[i].n_children;
    }
}

void hd_arena_fill(const hd_run *r, const hd_graph *g)
{
    const hd_blob *b = hd_graph_blob(g);
    if (!r->n_arena)
        return;
    memcpy((void *)(uintptr_t)r->tasks, hd_graph_task(g, 0), g->n_tasks * sizeof(hd_task));
    hd_arena_fill_bodies((uint32_t *)(uintptr_t)r->bodies, g);
    if (r->child_args)
        memcpy((void *)(uintptr_t)r->args, g->blob + b->args_at, b->args_bytes);
}

void *hd_arena_args(const hd_run *r, const hd_graph *g, uint32_t task)
{
    const hd_task *t = hd_graph_task(g, task);
    const uint8_t *at = t->arg_bytes <= HD_INLINE_ARGS ? r->tasks[task].args : r->args + t->args_at * 16ull;
    return (void *)(uintptr_t)at;
}
