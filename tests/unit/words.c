/* SPDX-License-Identifier: MIT */
/* The words of a run in one block: each on cache lines of its own, without overlap, the ones to be cleared first; words
 * not needed are untouched. Random sizes under every dispatch, for threads and for a GPU, with and without spawners. */
#include "backend/words.h"
#include "check.h"
#include "heddle/core/spawn.h"

#include <stdlib.h>
#include <string.h>

#define N_WORDS 18u

/* Pointers that may lie in the block; need[] of check_rooms has the same order. */
static void words_of(const hd_run *r, const void *out[N_WORDS])
{
    const void *all[N_WORDS] = {r->control, r->cursors, r->slots, r->tallies, r->count,      r->store,
                                r->depot,   r->tasks,   r->link,  r->back,    r->after,      r->bodies,
                                r->args,    r->events,  r->steps, r->lists,   r->step_edges, r->sibling};
    memcpy(out, all, sizeof all);
}

static void random_sizes(hd_run *r, hd_steps *s, uint64_t *seed)
{
    memset(r, 0, sizeof *r);
    memset(s, 0, sizeof *s);
    r->dispatch = 1u + (uint32_t)check_below(seed, 6);
    r->n_workers = 1u + (uint32_t)check_below(seed, 9);
    r->n_tasks = (uint32_t)check_below(seed, 300);
    r->n_slots = 1u << check_below(seed, 10);
    r->n_trace = (uint32_t)check_below(seed, 2) * 17u;
    r->end = check_below(seed, 2) ? (hd_end *)(void *)r : NULL; /* as on a GPU: never followed */
    if (check_below(seed, 2)) {
        r->n_arena = HD_BATCH * (1u + (uint32_t)check_below(seed, 5));
        r->n_bodies = 3;
        r->n_store = 70;
        r->n_depot = 8;
        r->child_args = (uint32_t)check_below(seed, 3);
        r->child_args_at = 5;
    }
    if (r->dispatch == HD_DISPATCH_PLAN) {
        s->n_workers = r->n_workers;
        s->n_steps = (uint64_t)r->n_tasks + r->n_workers;
        s->n_edges = 1u + check_below(seed, 40);
    }
}

/* Bytes from word i to the next one, or to the end. */
static uint64_t room_of(const void *const at[N_WORDS], uint32_t i, const uint8_t *block, uint64_t n_bytes)
{
    const uint8_t *from = at[i], *end = block + n_bytes;
    uint32_t k;
    for (k = 0; k < N_WORDS; k++)
        if ((const uint8_t *)at[k] > from && (const uint8_t *)at[k] < end)
            end = at[k];
    return (uint64_t)(end - from);
}

static int is_inside(const void *p, const uint8_t *block, uint64_t n_bytes)
{
    return (const uint8_t *)p >= block && (const uint8_t *)p < block + n_bytes;
}

/* Each word must have the room with which core uses it. */
static void check_rooms(const hd_run *r, const hd_steps *s, const uint8_t *block, uint64_t n_bytes)
{
    const void *at[N_WORDS];
    const uint64_t w = r->n_workers, t = r->n_tasks, a = r->n_arena;
    uint64_t need[N_WORDS] = {sizeof(hd_control), 2 * w * sizeof(hd_cursor), 1};
    uint32_t i, k;
    need[3] = w * sizeof(hd_tally);
    need[4] = t * 4;
    need[5] = a ? w * r->n_store * 4 : 0;
    need[6] = a ? (uint64_t)r->n_depot * (HD_BATCH + 1) * 4 : 0;
    need[7] = a ? (t + a) * sizeof(hd_task) : 0;
    need[8] = need[9] = a ? t * 4 : 0;
    need[10] = a * sizeof(hd_after);
    need[11] = a ? r->n_bodies * 8ull : 0;
    need[12] = a && r->child_args ? (5 + a * r->child_args) * 16 : 0;
    need[13] = w * r->n_trace * sizeof(hd_event);
    need[14] = s->n_steps ? (s->n_steps + 1) * sizeof(hd_step) : 0;
    need[15] = s->n_workers * 4;
    need[16] = s->n_edges * 4;
    need[17] = a ? w * HD_SIBLINGS * sizeof(hd_sibling) : 0;
    if (r->dispatch == HD_DISPATCH_PLAN)
        need[2] = 0;
    words_of(r, at);
    for (i = 0; i < N_WORDS; i++) {
        CHECK_MSG(!need[i] || is_inside(at[i], block, n_bytes), "word %u is not in the block", i);
        if (!is_inside(at[i], block, n_bytes))
            continue;
        CHECK_MSG(((uintptr_t)at[i] - (uintptr_t)block) % HD_LINE == 0, "word %u begins within a line", i);
        CHECK_MSG(room_of(at, i, block, n_bytes) >= need[i], "word %u: %llu bytes", i, (unsigned long long)need[i]);
        for (k = 0; k < i; k++)
            CHECK_MSG(at[i] != at[k], "words %u and %u begin together", i, k);
    }
}

/* What a bad run leaves behind is cleared; what is filled once stays. */
static void check_cleared(const hd_run *r, const uint8_t *block, uint64_t cleared_bytes)
{
    const void *cleared[] = {r->control, r->cursors, r->slots, r->tallies, r->count, r->store, r->depot};
    const void *kept[] = {r->link, r->bodies, r->events, r->steps};
    uint32_t i;
    for (i = 0; i < sizeof cleared / sizeof *cleared; i++)
        CHECK_MSG(!cleared[i] || is_inside(cleared[i], block, cleared_bytes), "word %u is not cleared", i);
    CHECK(!r->n_arena || is_inside(r->tasks, block, cleared_bytes));
    for (i = 0; i < sizeof kept / sizeof *kept; i++)
        CHECK_MSG(!is_inside(kept[i], block, cleared_bytes), "word %u is cleared", i);
}

static void one(uint64_t *seed)
{
    static const hd_task graphs_own;
    static const uint8_t graphs_args;
    hd_run r;
    hd_steps s;
    uint64_t n_bytes, cleared_bytes;
    uint8_t *block;
    random_sizes(&r, &s, seed);
    r.tasks = &graphs_own;
    r.args = &graphs_args;
    n_bytes = hd_words_bytes(&r, &s, &cleared_bytes);
    CHECK(r.control == NULL && cleared_bytes <= n_bytes && n_bytes % HD_LINE == 0);
    block = malloc(n_bytes);
    CHECK(block != NULL);
    hd_words_cut(&r, &s, block);
    check_rooms(&r, &s, block, n_bytes);
    check_cleared(&r, block, cleared_bytes);
    CHECK(r.n_arena ? r.tasks != &graphs_own : r.tasks == &graphs_own);
    CHECK(r.n_arena && r.child_args ? r.args != &graphs_args : r.args == &graphs_args);
    CHECK(r.n_trace ? r.events != NULL : r.events == NULL);
    free(block);
}

int main(void)
{
    uint64_t seed = check_seed(1);
    uint32_t i;
    for (i = 0; i < 2000; i++)
        one(&seed);
    return 0;
}
