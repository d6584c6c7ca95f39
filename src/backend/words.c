/* SPDX-License-Identifier: MIT */
/* words.c - see words.h. */
#include "backend/words.h"
#include "heddle/core/baselines/scheduler.h"
#include "heddle/core/spawn.h"

#define PAD_STEPS 4u /* behind the last list: one load fetches several steps (core/planned.h) */

static uint64_t slot_words(const hd_run *r)
{
    switch (r->dispatch) {
    case HD_DISPATCH_RINGS: return 2ull * r->n_workers * r->n_slots;
    case HD_DISPATCH_IQS: return (uint64_t)r->n_workers * r->n_slots;
    case HD_DISPATCH_TICKET: return 2ull * r->n_slots;
    case HD_DISPATCH_SCHEDULER: return hd_sched_words(r);
    case HD_DISPATCH_CENTRAL: return r->n_slots;
    default: return 0;
    }
}

/* In units of 16 bytes: the graph's large records, and one for each slot. 0: all records are small. */
static uint64_t large_args(const hd_run *r)
{
    return r->child_args ? r->child_args_at + (uint64_t)r->n_arena * r->child_args : 0;
}

/* Does every worker have its own list? */
static int has_lists(const hd_run *r) { return r->n_arena || r->end || r->dispatch == HD_DISPATCH_RINGS; }

/* field of hd_run, type, is it cleared?, how many (from sizes in r and the steps s, or NULL) */
#define WORDS(PART)                                                                   \
    PART(control, hd_control, 1, 1u)                                                  \
    PART(cursors, hd_cursor, 1, 2ull * r->n_workers)                                  \
    PART(slots, uint32_t, 1, slot_words(r))                                           \
    PART(tallies, hd_tally, 1, r->n_workers)                                          \
    PART(count, uint32_t, 1, r->n_tasks)                                              \
    PART(store, uint32_t, 1, r->n_arena ? 1ull * r->n_workers * r->n_store : 0u)      \
    PART(depot, uint32_t, 1, r->n_arena ? (HD_BATCH + 1ull) * r->n_depot : 0u)        \
    PART(tasks, hd_task, 1, r->n_arena ? 1ull * r->n_tasks + r->n_arena : 0u)         \
    PART(link, uint32_t, 0, has_lists(r) ? r->n_tasks : 0u)                           \
    PART(back, uint32_t, 0, r->n_arena ? r->n_tasks : 0u)                             \
    PART(after, hd_after, 0, r->n_arena)                                              \
    PART(sibling, hd_sibling, 0, r->n_arena ? HD_SIBLINGS * 1ull * r->n_workers : 0u) \
    PART(bodies, uint32_t, 0, r->n_arena ? 2ull * r->n_bodies : 0u)                   \
    PART(args, uint8_t, 0, r->n_arena ? 16u * large_args(r) : 0u)                     \
    PART(events, hd_event, 0, 1ull * r->n_workers * r->n_trace)                       \
    PART(steps, hd_step, 0, s && s->n_steps ? s->n_steps + PAD_STEPS : 0u)            \
    PART(lists, uint32_t, 0, s ? s->n_workers : 0u)                                   \
    PART(step_edges, uint32_t, 0, s ? s->n_edges : 0u)

static uint64_t lines(uint64_t n_bytes) { return (n_bytes + HD_LINE - 1) / HD_LINE * HD_LINE; }

/* Places the cleared words, or the others, from block + at; block NULL: only measures. Returns their end. */
static uint64_t lay(hd_run *r, const hd_steps *s, int cleared, uint8_t *block, uint64_t at)
{
    uint64_t n;
#define PART(field, type, is_cleared, how_many)                        \
    n = is_cleared == cleared ? lines((how_many) * sizeof(type)) : 0u; \
    if (n && block)                                                    \
        r->field = (type *)(void *)(block + at);                       \
    at += n;
    WORDS(PART)
#undef PART
    return at;
}

uint64_t hd_words_bytes(const hd_run *r, const hd_steps *s, uint64_t *cleared_bytes)
{
    hd_run sizes = *r;
    *cleared_bytes = lay(&sizes, s, 1, NULL, 0);
    return lay(&sizes, s, 0, NULL, *cleared_bytes);
}

void hd_words_cut(hd_run *r, const hd_steps *s, uint8_t *block) { (void)lay(r, s, 0, block, lay(r, s, 1, block, 0)); }

uint32_t hd_words_slot_bytes(const hd_run *r)
{
    const uint64_t shared = slot_words(r) + (HD_BATCH + 1ull) * r->n_depot;
    return (uint32_t)(sizeof(hd_task) + sizeof(hd_after) + 16u * r->child_args +
                      shared * sizeof(uint32_t) / r->n_arena);
}
