/* SPDX-License-Identifier: MIT */
/* batch.cpp - launches of a pool's tasks (core/batch.h) in the emulator; the test is the host.
 *
 *     emulate_batch [CASES]        HEDDLE_SEED: run only that case
 *
 * A case is a row of batches in one stream: some tasks, a block each (their slots are parameters, or a list), one task of several
 * blocks, or launches of a task each. These are the nodes of a CUDA graph, or kernels that may leave an end to the next one. Tasks fail, are cancelled before they are launched, or while they run. Each
 * is told once with its code, is news if it shall be, and has a stamp if the pool is traced: those of a batch lie in it, and a task that
 * did not run has none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels.h"

extern "C" {
#include "backend/pool_words.h"
}
#include "heddle/core/batch.h"
#include "pool/bodies.h"

#define N_HOST 32u
#define STEPS 2000000u

namespace
{
/* How the kernel learns the tasks of a batch: NODES, KERNELS: by a launch for each. Each of KERNELS is a batch of its own. */
enum batch_form { PARAMETERS, LIST, NODES, KERNELS };

struct test_case {
    uint64_t random;
    uint32_t most_warps, n_batches, n_news, is_traced;
    char what[120];
    hd_pool pool;
    alignas(16) hd_posted posted[N_HOST];
    hd_stream_words stream;
    uint32_t closed[N_HOST], ended[2];
    batch_form form;
    hd_pool_batch batch;                /* of form PARAMETERS; its slots are those of all forms */
    hd_pool_grid grid;                  /* of the other forms */
    uint32_t n_tasks, n_blocks[N_HOST]; /* of the batch; of its tasks */
    pooled_params params;
    uint32_t cells[N_HOST], ran[N_HOST], blocks[64];
    uint32_t code[N_HOST], canceled[N_HOST]; /* canceled: 1: before; 2: perhaps while it runs */
};
} // namespace

static uint32_t below(test_case *c, uint32_t n) { return (uint32_t)check_below(&c->random, n); }

/* ---- a batch ------------------------------------------------------------------------------------------ */

static void post(test_case *c, uint32_t slot, uint32_t n_blocks)
{
    hd_posted *p = &c->posted[slot];
    const pooled_mix_args mix = {slot, 1, {slot, 0, 0, 0}, below(c, 6) ? 0u : 1u + below(c, 9)};
    const pooled_block_args block = {0, below(c, 6) ? 0u : 1u + below(c, n_blocks)};
    const uint32_t kind = below(c, 8);
    p->generation++;
    p->body = n_blocks > 1u ? (uint32_t)pooled_block : (uint32_t)pooled_mix;
    p->flags = HD_TASK_NOTIFY | (below(c, 2) ? HD_TASK_ODD : 0u);
    p->n_blocks = n_blocks;
    p->team_size = 32u * (1u + below(c, c->most_warps));
    p->arg_bytes = n_blocks > 1u ? sizeof block : sizeof mix;
    memcpy(p->args, n_blocks > 1u ? (const void *)&block : (const void *)&mix, p->arg_bytes);
    c->code[slot] = n_blocks > 1u ? block.fail_at ? 9u : 0u : mix.code;
    c->canceled[slot] = kind < 3u ? kind : 0u;
    if (c->canceled[slot] == 1u && below(c, 2))
        p->flags |= HD_POSTED_CANCELED;
    else if (c->canceled[slot] == 1u)
        c->pool.fates[slot].stop = HD_STOP_CANCELED;
    if (c->is_traced)
        c->pool.stamps[slot] = {};
}

static void fill(test_case *c)
{
    const uint32_t first = below(c, N_HOST), is_wide = below(c, 3) == 0;
    uint32_t k;
    c->form = (batch_form)below(c, 4);
    c->n_tasks = is_wide ? 1u : 1u + below(c, 8);
    for (k = 0; k < c->n_tasks; k++) {
        c->batch.slot[k] = (first + 5u * k) % N_HOST;
        c->n_blocks[k] = is_wide || (c->form >= NODES && k == c->n_tasks / 2u) ? 2u + below(c, 7) : 1u;
        post(c, c->batch.slot[k], c->n_blocks[k]);
    }
    c->batch.words.n_tasks = c->form == KERNELS ? 1u : c->n_tasks;
    memset(c->ran, 0, sizeof c->ran);
    memset(c->blocks, 0, sizeof c->blocks);
}

static void batch_code(void *arg) { hd_tasks_of_batch<kernel_bodies<0>>(static_cast<const test_case *>(arg)->batch); }
static void grid_code(void *arg) { hd_tasks_of_grid<kernel_bodies<0>>(static_cast<const test_case *>(arg)->grid); }

static void beside(void *arg, uint64_t)
{
    test_case *c = static_cast<test_case *>(arg);
    const uint32_t slot = c->batch.slot[below(c, c->n_tasks)];
    const uint32_t v = c->pool.told[slot].state;
    if (c->canceled[slot] == 2u && v >> HD_TOLD_BITS != c->posted[slot].generation && below(c, 3) == 0 &&
        c->pool.fates[slot].stop == HD_STOP_NOT)
        c->pool.fates[slot].stop = HD_STOP_CANCELED;
}

/* ---- checks ------------------------------------------------------------------------------------------- */

/* In how many blocks did its body run? */
static uint32_t n_ran(const test_case *c, uint32_t slot)
{
    const uint32_t n_blocks = c->posted[slot].n_blocks;
    uint32_t k, n = 0;
    for (k = 0; n_blocks > 1u && k < n_blocks; k++)
        n += c->blocks[k] == n_blocks;
    return n_blocks > 1u ? n : c->ran[slot];
}

static void check_stamp(const test_case *c, uint32_t slot, uint64_t since)
{
    const hd_stamp *s = &c->pool.stamps[slot];
    const hd_stamp_words *w = &c->pool.stamp_words[slot];
    const uint32_t n = n_ran(c, slot);
    if ((s->end != 0) != (n != 0))
        emu_fail("%s: slot %u ran in %u blocks, and its stamp says %llu", c->what, slot, n, (unsigned long long)s->end);
    if (n && (s->begin < since || s->begin > s->end || s->busy > n * (s->end - s->begin)))
        emu_fail("%s: slot %u: from %llu to %llu, busy for %llu", c->what, slot, (unsigned long long)s->begin,
                 (unsigned long long)s->end, (unsigned long long)s->busy);
    if (w->not_begin || w->end || w->busy)
        emu_fail("%s: slot %u: its words are left", c->what, slot);
}

static void check_task(test_case *c, uint32_t slot, uint64_t since)
{
    const hd_told *told = &c->pool.told[slot];
    const uint32_t how = told->state & HD_TOLD_HOW, n_blocks = c->posted[slot].n_blocks, n = n_ran(c, slot);
    if (told->state >> HD_TOLD_BITS != c->posted[slot].generation)
        emu_fail("%s: slot %u was not told", c->what, slot);
    if (c->canceled[slot] == 1u ? how != HD_STOP_CANCELED || n
                                : !c->canceled[slot] && how != (c->code[slot] ? HD_STOP_FAILED : HD_STOP_DONE))
        emu_fail("%s: slot %u, ran in %u of %u blocks, has ended with %u", c->what, slot, n, n_blocks, how);
    if (how == HD_STOP_DONE && n != n_blocks)
        emu_fail("%s: slot %u ran in %u of %u blocks", c->what, slot, n, n_blocks);
    if (how == HD_STOP_FAILED && told->code != c->code[slot])
        emu_fail("%s: slot %u has code %u, not %u", c->what, slot, told->code, c->code[slot]);
    c->pool.fates[slot] = {}; /* it may have been cancelled when it had ended */
    c->ended[(c->posted[slot].flags & HD_TASK_ODD) != 0u]++;
    if (c->is_traced)
        check_stamp(c, slot, since);
}

static void check_batch(test_case *c, uint64_t since)
{
    const uint32_t n = c->n_tasks;
    uint32_t k;
    for (k = 0; k < n; k++)
        check_task(c, c->batch.slot[k], since);
    for (k = 0; k < n; k++, c->n_news++) {
        if (!c->pool.news[c->n_news % N_HOST])
            emu_fail("%s: %u ends are news, not %u", c->what, k, n);
        c->pool.news[c->n_news % N_HOST] = 0;
    }
    if (c->pool.live[0].ended[0] != c->ended[0] || c->pool.live[0].ended[1] != c->ended[1])
        emu_fail("%s: %u and %u tasks have ended, not %u and %u", c->what, c->pool.live[0].ended[0],
                 c->pool.live[0].ended[1], c->ended[0], c->ended[1]);
}

/* ---- a case ------------------------------------------------------------------------------------------- */

static void launch(test_case *c, uint32_t n_blocks, uint64_t seed, uint64_t since_ns)
{
    emu_launch l = {};
    l.n_blocks = n_blocks;
    l.n_threads = 32u * c->most_warps;
    l.shared_bytes = HEDDLE_REDUCE_BYTES + 256u;
    l.seed = seed;
    l.since_ns = since_ns;
    l.n_steps = STEPS;
    l.what = c->what;
    l.code = c->form == PARAMETERS ? batch_code : grid_code;
    l.arg = c;
    l.beside = beside;
    n_switches += emu_run(&l);
}

/* The k-th task by a launch of its own, which leaves its end to the next one, or does not. Until then it is not told. */
static void launch_one(test_case *c, uint32_t k, uint64_t seed, uint64_t since)
{
    const uint32_t slot = c->batch.slot[k];
    const hd_posted *task = &c->posted[slot];
    const hd_untold before = c->grid.before;
    c->grid = {c->batch.words, nullptr, slot, c->form == KERNELS && c->n_blocks[k] == 1u && below(c, 3), before};
    c->grid.words.n_blocks = c->n_blocks[k] > 1u ? c->n_blocks[k] : 0u;
    launch(c, c->n_blocks[k], seed + k, since + 1000000ull * k);
    c->grid.before = {};
    if (c->grid.leaves && c->pool.told[slot].state >> HD_TOLD_BITS == task->generation)
        emu_fail("%s: slot %u was told too early", c->what, slot);
    if (c->grid.leaves)
        c->grid.before = {slot + 1u, task->generation, task->flags};
}

static void launch_each(test_case *c, uint64_t seed, uint64_t since)
{
    uint32_t k;
    c->grid.before = {};
    for (k = 0; k < c->n_tasks; k++)
        launch_one(c, k, seed, since);
    if (!c->grid.before.number)
        return;
    c->grid = {c->batch.words, nullptr, HD_NONE, 0, c->grid.before};
    launch(c, 1, seed + k, since + 1000000ull * k);
}

static void run_batch(test_case *c, uint64_t seed, uint32_t i)
{
    const uint64_t since = i * 1000000000ull;
    fill(c);
    if (c->form >= NODES) {
        launch_each(c, seed + i, since);
    } else {
        c->batch.words.n_blocks = c->n_blocks[0] > 1u ? c->n_blocks[0] : 0u;
        c->grid = {c->batch.words, c->batch.words.n_blocks ? nullptr : c->batch.slot, c->batch.slot[0], 0, {}};
        launch(c, c->batch.words.n_blocks ? c->n_blocks[0] : c->n_tasks, seed + i, since);
    }
    check_batch(c, since);
}

static void run_case(uint64_t seed, uint32_t)
{
    test_case *c = new test_case();
    uint32_t i;
    c->random = seed * 0x9e3779b97f4a7c15u;
    c->most_warps = 1u + below(c, 3);
    c->n_batches = 1u + below(c, 12);
    c->is_traced = below(c, 3) != 0;
    snprintf(c->what, sizeof c->what, "HEDDLE_SEED=%llu: %u batches of %u warps", (unsigned long long)seed,
             c->n_batches, c->most_warps);
    kernel_table = &pooled;
    if (hd_pool_words_new(&c->pool, N_HOST, N_HOST, 1, c->is_traced))
        emu_fail("out of memory");
    c->params = {c->cells, c->ran, c->blocks, nullptr, nullptr};
    c->batch.words.posted = c->posted;
    c->batch.words.params = &c->params;
    c->batch.words.fates = c->pool.fates;
    c->batch.words.closed = c->closed;
    c->batch.words.told = c->pool.told;
    c->batch.words.news = c->pool.news;
    c->batch.words.news_end = c->pool.news_end;
    c->batch.words.stream = &c->stream;
    c->batch.words.live = c->pool.live;
    c->batch.words.stamps = c->pool.stamps;
    c->batch.words.stamp_words = c->pool.stamp_words;
    c->batch.words.n_host = N_HOST;
    for (i = 0; i < c->n_batches; i++)
        run_batch(c, seed, i);
    n_tasks_run += c->ended[0] + c->ended[1];
    hd_pool_words_delete(&c->pool, N_HOST, 1);
    delete c;
}

int main(int argc, char **argv)
{
    kernel_cases(argc, argv, HD_DISPATCH_TICKET, run_case, 300u);
    return 0;
}
