/* SPDX-License-Identifier: MIT */
/* spawn.cpp - bodies that spawn, through core's kernels in the emulator.
 *
 *     emulate_spawn [CASES]        cases for each dispatch; HEDDLE_SEED: run only that case, under every dispatch
 *
 * A case is a program, a number of blocks, a team size, a config, and some switches. One kind of program is a tree of
 * spawn/soak_bodies.h (lanes that spawn at once, handles, continuations, urgent tasks, large records), often much
 * larger than its arena. The other is families of spawn/brood.h (children that name ranges and one another, and fork),
 * often in the smallest possible arena. It runs several times without clearing, is perhaps canceled, cleared, and run
 * once more. No task is lost or runs twice, records are whole, siblings leave the bytes of their serial order, and the
 * next run finds the words as it needs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels.h"

#include "check.h"
#include "spawn/brood.h"
#include "spawn/soak_bodies.h"

#define STEPS_OF_TASK 400000u /* a run with more switches hangs */
#define STEPS_OF_RUN 20000000u
/* Slots per worker: enough to go depth first through the largest tree without giving up. */
#define ARENA_LEAST 160u

namespace
{
struct test_case {
    uint64_t seed, random;
    words_config config;
    uint32_t team, n_runs;
    char what[240];
    hd_graph graph;
    words w;
    kernel_job job;
    uint32_t is_tree;
    uint64_t n_tasks; /* approximate */
    /* A tree. */
    soak_params tree;
    std::vector<soak_cell> cells;
    /* Families. */
    brood *all;
    kin_params kin;
    std::vector<uint8_t> bytes;
    std::vector<uint64_t> parts;
    std::vector<uint32_t> ran, joined;
    uint32_t wrong;
};
} // namespace

static uint32_t below(test_case *c, uint32_t n) { return (uint32_t)check_below(&c->random, n); }

/* ---- a case ----------------------------------------------------------------------------------------- */

static void choose(test_case *c, uint32_t dispatch)
{
    words_config *f = &c->config;
    c->random = c->seed * 0x9e3779b97f4a7c15u + dispatch;
    f->dispatch = dispatch;
    f->policy = 1u + below(c, HEDDLE_N_POLICIES - 1u);
    f->n_workers = 1u + below(c, 6);
    f->n_ring = below(c, 2) ? 2u << below(c, 6) : 0;
    f->n_local = 1u + below(c, 3);
    f->polite = below(c, 4) == 0;
    f->crowded = below(c, 4) == 0;
    f->n_trace = below(c, 4) == 0 ? 1u + below(c, 300) : 0;
    f->has_now = below(c, 3) == 0;
    f->first_run = below(c, 3) ? 1u : 0u - below(c, 3);
    c->team = 32u * (1u + below(c, 2));
    c->n_runs = 1u + below(c, 3);
    c->is_tree = below(c, 2);
}

static void describe(test_case *c)
{
    const words_config *f = &c->config;
    snprintf(c->what, sizeof c->what,
             "HEDDLE_SEED=%llu: %s of %llu, dispatch %u policy %u, %u workers of %u, ring %u, arena %u, trace %u",
             (unsigned long long)c->seed, c->is_tree ? "a tree" : "families", (unsigned long long)c->n_tasks,
             f->dispatch, f->policy, f->n_workers, c->team, f->n_ring, f->n_arena, f->n_trace);
}

static void must(const test_case *c, heddle_status s, const hd_error *e)
{
    if (s != HEDDLE_OK)
        emu_fail("%s: %s", c->what, e->text);
}

static void add(test_case *c, uint32_t body, const void *args, size_t arg_bytes, const heddle_range *range)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    hd_error e;
    d.body = body;
    d.args = args;
    d.arg_bytes = arg_bytes;
    d.flags = below(c, 2) ? HEDDLE_TASK_WATCH : 0u;
    d.ranges = range;
    d.n_ranges = range != nullptr;
    must(c, hd_graph_add(&c->graph, &d, nullptr, &e), &e);
}

/* ---- trees ------------------------------------------------------------------------------------------- */

static void make_tree(test_case *c)
{
    const soak_node_args root = {0};
    c->tree.n = c->n_tasks = 1u + below(c, 20u << below(c, 7));
    c->cells.resize(c->config.n_workers);
    c->tree.cells = c->cells.data();
    c->config.n_arena = c->config.n_workers * (ARENA_LEAST + below(c, 300u << below(c, 3)));
    add(c, soak_root, &root, sizeof root, nullptr);
}

static soak_cell sum_of(const test_case *c)
{
    soak_cell all = {};
    for (const soak_cell &i : c->cells) {
        all.n += i.n;
        all.sum += i.sum;
        all.squares += i.squares;
        all.n_ends += i.n_ends;
        all.sum_ends += i.sum_ends;
        all.n_bad += i.n_bad;
    }
    return all;
}

/* The result of a tree of n tasks. */
static soak_cell wanted_of(uint64_t n)
{
    soak_cell all = {};
    uint64_t id;
    all.n = n;
    for (id = 0; id < n; id++) {
        const int ends = SOAK_GOES_ON(id) && SOAK_FAN * id + 1u < n;
        all.sum += id;
        all.squares += id * id;
        all.n_ends += (uint64_t)ends;
        all.sum_ends += ends ? id : 0u;
    }
    return all;
}

static void check_tree(const test_case *c)
{
    const soak_cell is = sum_of(c), wanted = wanted_of(c->tree.n);
    if (is.n != wanted.n)
        emu_fail("%s: %llu tasks have run", c->what, (unsigned long long)is.n);
    if (memcmp(&is, &wanted, sizeof is))
        emu_fail("%s: tasks ran twice, others not at all, or with wrong words", c->what);
}

/* ---- families ---------------------------------------------------------------------------------------- */

/* Resets the families to the state before the first run. */
static void begin_families(test_case *c)
{
    c->bytes.assign(c->all->bytes, c->all->bytes + sizeof c->all->bytes);
    c->parts.assign((size_t)c->all->n_all * KIN_PARTS, 0);
    c->ran.assign(c->all->n_all, 0);
    c->joined.assign(BROOD_FAMILIES, 0);
    c->wrong = 0;
    c->kin = {c->bytes.data(),  c->all->family,  c->all->child,
              c->all->before,   c->parts.data(), c->ran.data(),
              c->joined.data(), &c->wrong,       0,
              c->all->n_all};
}

static void make_families(test_case *c)
{
    const uint32_t is_small = below(c, 2);
    uint32_t f;
    c->all = brood_new(is_small ? 1u : BROOD_FAMILIES, &c->random);
    c->n_tasks = c->all->n_all * 10ull;
    c->config.n_arena = is_small ? 1u : 3000u;
    for (f = 0; f < c->all->n_families; f++) {
        const kin_args args = {f, 0};
        const void *key = (const void *)(uintptr_t)(64u + f);
        const heddle_range out = heddle_range_of(key, 1, 1, 0, HEDDLE_MODE_OUT);
        const heddle_range in = heddle_range_of(key, 1, 1, 0, HEDDLE_MODE_IN);
        add(c, kin_parent, &args, sizeof args, &out);
        add(c, kin_after, &args, sizeof args, &in);
    }
    begin_families(c);
}

static void check_families(test_case *c)
{
    uint32_t i;
    brood_run(c->all);
    if (c->wrong)
        emu_fail("%s: child %u met something wrong in run %u", c->what, c->wrong - 1u, c->kin.run);
    for (i = 0; i < c->all->n_all; i++)
        if (c->ran[i] != c->kin.run)
            emu_fail("%s: child %u ran last in run %u, not %u", c->what, i, c->ran[i], c->kin.run);
    if (memcmp(c->bytes.data(), c->all->bytes, sizeof c->all->bytes))
        emu_fail("%s: the bytes are not those of the serial order", c->what);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static void check_end(const test_case *c, uint32_t run, uint32_t why, uint32_t why_too)
{
    const hd_end *e = &c->w.end;
    uint32_t i;
    if (e->run != run || (e->stop != why && e->stop != why_too))
        emu_fail("%s: run %u ended as %u of run %u, code %u, not as %u", c->what, run, e->stop, e->run, e->code, why);
    if (e->stop != HD_STOP_DONE)
        return;
    if (c->w.run.control->run != run + 1u || c->w.run.control->outstanding != c->w.run.n_tasks)
        emu_fail("%s: the words are not ready for run %u", c->what, run + 1u);
    for (i = 0; i < hd_graph_blob(&c->graph)->n_watched; i++)
        if (c->w.run.watched[i] != run)
            emu_fail("%s: nobody was told of watched task %u", c->what, i);
}

static void run(test_case *c, uint32_t number)
{
    memset((void *)c->cells.data(), 0, c->cells.size() * sizeof(soak_cell));
    c->kin.run++;
    n_switches += kernel_run(&c->job, c->seed * 16u + number % 16u, STEPS_OF_RUN + c->n_tasks * STEPS_OF_TASK, c->what);
    n_tasks_run += c->is_tree ? c->tree.n : c->all->n_all;
}

static void run_well(test_case *c, uint32_t n)
{
    uint32_t number = c->config.first_run;
    for (; n; n--, number++) {
        run(c, number);
        check_end(c, number, HD_STOP_DONE, HD_STOP_DONE);
        if (c->is_tree)
            check_tree(c);
        else
            check_families(c);
    }
}

static void run_canceled(test_case *c)
{
    words_clear(&c->w);
    c->job.cancel_at = 1u + below(c, 2u << below(c, 18));
    run(c, c->config.first_run);
    c->job.cancel_at = 0;
    check_end(c, c->config.first_run, HD_STOP_CANCELED, HD_STOP_DONE);
    if (c->is_tree && sum_of(c).n > c->tree.n)
        emu_fail("%s: a task ran twice before the run was canceled", c->what);
    if (!c->is_tree && c->wrong)
        emu_fail("%s: child %u met something wrong before the run was canceled", c->what, c->wrong - 1u);
    if (!c->is_tree)
        begin_families(c);
}

static void make_program(test_case *c)
{
    hd_error e;
    must(c, hd_graph_init(&c->graph, c->is_tree ? &soak : &kin, &e), &e);
    if (c->is_tree)
        make_tree(c);
    else
        make_families(c);
    must(c, hd_graph_freeze(&c->graph, &e), &e);
    describe(c);
    words_make(&c->w, &c->graph, &c->config, c->is_tree ? (const void *)&c->tree : &c->kin);
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    test_case c = {};
    c.seed = seed;
    choose(&c, dispatch);
    make_program(&c);
    c.job.w = &c.w;
    c.job.kernel = kernel_of<1>(dispatch, c.config.n_trace != 0);
    c.job.team = c.team;
    run_well(&c, c.n_runs);
    if (below(&c, 3) == 0)
        run_canceled(&c);
    words_clear(&c.w);
    run_well(&c, 1);
    words_free(&c.w);
    hd_graph_clear(&c.graph);
    free(c.all);
}

int main(int argc, char **argv)
{
#define NAME_OF(d) d,
    static const uint32_t dispatches[] = {KERNEL_DISPATCHES(NAME_OF)};
#undef NAME_OF
    for (uint32_t d : dispatches)
        kernel_cases(argc, argv, d, run_case);
    return 0;
}
