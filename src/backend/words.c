/* SPDX-License-Identifier: MIT */
/* words.c - see words.h. */
#include "backend/words.h"
#include "heddle/core/scheduler.h"
#include "heddle/core/spawn.h"

#define PAD_STEPS 4u /* behind the last list: a load brings several steps (core/planned.h) */

static uint64_t slot_words(const hd_run *r)
{
    switch (r->dispatch) {
    case HD_DISPATCH_DISTRIBUTED: return 2ull * r->n_workers * r->n_slots;
    case HD_DISPATCH_IQS: return (uint64_t)r->n_workers * r->n_slots;
    case HD_DISPATCH_TICKET: return r->n_arena ? 2ull * r->n_slots : r->n_tasks;
    case HD_DISPATCH_SCHEDULER: return hd_sched_words(r);
    case HD_DISPATCH_CENTRAL: return r->n_slots;
    default: return 0;
    }
}

/* One word a task of the graph: what the lists of workers are linked by. */
static uint64_t links(const hd_run *r) { return r->n_tasks * 4ull; }

static uint64_t large_args(const hd_run *r)
{
    return r->child_args ? (r->child_args_at + (uint64_t)r->n_arena * r->child_args) * 16 : 0;
}

/* field of hd_run, is it cleared?, bytes: of the sizes in r, of the steps s (or NULL) */
#define WORDS(X)                                                                              \
    X(shared, 1, sizeof(hd_shared))                                                           \
    X(cursors, 1, 2ull * r->n_workers * sizeof(hd_cursor))                                    \
    X(slots, 1, slot_words(r) * 4)                                                            \
    X(boxes, 1, r->end && r->dispatch == HD_DISPATCH_DISTRIBUTED ? r->n_workers * 4ull : 0)   \
    X(tallies, 1, r->n_workers * sizeof(hd_tally))                                            \
    X(count, 1, r->n_tasks * 4ull)                                                            \
    X(store, 1, r->n_arena ? (uint64_t)r->n_workers * r->n_store * 4 : 0)                     \
    X(pool, 1, r->n_arena ? (uint64_t)r->n_pool *(HD_BATCH + 1) * 4 : 0)                      \
    X(tasks, 1, r->n_arena ? ((uint64_t)r->n_tasks + r->n_arena) * sizeof(hd_task) : 0)       \
    X(link, 0, r->n_arena || r->end || r->dispatch == HD_DISPATCH_DISTRIBUTED ? links(r) : 0) \
    X(back, 0, r->n_arena ? links(r) : 0)                                                     \
    X(after, 0, (uint64_t)r->n_arena * sizeof(hd_after))                                      \
    X(sibling, 0, r->n_arena ? (uint64_t)r->n_workers *HD_SIBLINGS * sizeof(hd_sibling) : 0)  \
    X(bodies, 0, r->n_arena ? r->n_bodies * 8ull : 0)                                         \
    X(args, 0, r->n_arena ? large_args(r) : 0)                                                \
    X(events, 0, (uint64_t)r->n_workers * r->n_trace * sizeof(hd_event))                      \
    X(steps, 0, s && s->n_steps ? (s->n_steps + PAD_STEPS) * sizeof(hd_step) : 0)             \
    X(lists, 0, s ? s->n_workers * 4 : 0)                                                     \
    X(step_edges, 0, s ? s->n_edges * 4 : 0)

static uint64_t lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1) / HD_LINE * HD_LINE; }

/* The words that are cleared, or the others, from block + at; block NULL: only counts. Returns where they end. */
static uint64_t lay(hd_run *r, const hd_steps *s, int cleared, uint8_t *block, uint64_t at)
{
    uint64_t n;
#define X(field, is_cleared, n_bytes)                \
    n = is_cleared == cleared ? lines(n_bytes) : 0u; \
    if (n && block)                                  \
        r->field = (void *)(block + at);             \
    at += n;
    WORDS(X)
#undef X
    return at;
}

uint64_t hd_words_bytes(const hd_run *r, const hd_steps *s, uint64_t *cleared_bytes)
{
    hd_run sizes = *r;
    *cleared_bytes = lay(&sizes, s, 1, NULL, 0);
    return lay(&sizes, s, 0, NULL, *cleared_bytes);
}

void hd_words_cut(hd_run *r, const hd_steps *s, uint8_t *block) { (void)lay(r, s, 0, block, lay(r, s, 1, block, 0)); }
