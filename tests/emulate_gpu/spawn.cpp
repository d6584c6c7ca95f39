/* SPDX-License-Identifier: MIT */
/* spawn.cpp - bodies that spawn, through core's kernels in the emulator, in arenas that run low.
 *
 *     emulate_spawn [CASES]        so many cases for each dispatch; HEDDLE_SEED: only that case, of every dispatch
 *
 * A case is a tree of spawn/soak_bodies.h (lanes that spawn at once, handles, continuations, urgent tasks, large records), a
 * number of blocks, a size of their teams, a config, often with an arena much smaller than the tree, and a row of switches. It
 * runs several times without clearing, is perhaps canceled, cleared, and run once more. No task is lost, none runs twice,
 * large records are whole, and the words are as the next run wants them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vector>

#include "kernels.h"

#include "check.h"
#include "spawn/soak_bodies.h"

#define STEPS_OF_TASK 400000u /* a run that takes more hangs */
#define STEPS_OF_RUN 20000000u
/* Slots a worker: with so many it can go depth first through the largest tree, and need not give up. */
#define ARENA_LEAST 160u

namespace
{
struct test_case {
    uint64_t seed, random;
    words_config config;
    uint32_t team, n_runs;
    char what[200];
    hd_graph graph;
    soak_app app;
    std::vector<soak_cell> cells;
    words w;
    kernel_job job;
};
} // namespace

static uint64_t n_tasks_run, n_switches;

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
    f->n_arena = f->n_workers * (ARENA_LEAST + below(c, 300u << below(c, 3)));
    f->steals = below(c, 4) == 0;
    f->polite = below(c, 4) == 0;
    f->crowded = below(c, 4) == 0;
    f->n_trace = below(c, 4) == 0 ? 1u + below(c, 300) : 0;
    f->has_now = below(c, 3) == 0;
    f->first_run = below(c, 3) ? 1u : 0u - below(c, 3);
    c->team = 32u * (1u + below(c, 2));
    c->n_runs = 1u + below(c, 3);
    c->app.n = 1u + below(c, 20u << below(c, 7));
    snprintf(c->what, sizeof c->what,
             "a tree of %llu, dispatch %u policy %u, %u workers of %u, ring %u, arena %u, steals %u, trace %u",
             (unsigned long long)c->app.n, f->dispatch, f->policy, f->n_workers, c->team, f->n_ring, f->n_arena,
             f->steals, f->n_trace);
}

static void must(test_case *c, heddle_status s, const hd_error *e)
{
    if (s != HEDDLE_OK)
        emu_fail("%s: %s", c->what, e->text);
}

/* The tree's root. */
static void make_graph(test_case *c)
{
    const soak_node_args root = {0};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    hd_error e;
    must(c, hd_graph_init(&c->graph, &soak, &e), &e);
    d.body = soak_root;
    d.args = &root;
    d.arg_bytes = sizeof root;
    d.flags = below(c, 2) ? HEDDLE_TASK_WATCH : 0u;
    must(c, hd_graph_add(&c->graph, &d, nullptr, &e), &e);
    must(c, hd_graph_freeze(&c->graph, &e), &e);
}

/* ---- checks ----------------------------------------------------------------------------------------- */

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

/* What a tree of n leaves behind. */
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

static void check_total(const test_case *c)
{
    const soak_cell is = sum_of(c), wanted = wanted_of(c->app.n);
    if (is.n != wanted.n)
        emu_fail("%s: %llu tasks have run", c->what, (unsigned long long)is.n);
    if (memcmp(&is, &wanted, sizeof is))
        emu_fail("%s: tasks ran twice, others not at all, or with wrong words", c->what);
}

static void check_end(const test_case *c, uint32_t run, uint32_t why, uint32_t why_too)
{
    const hd_end *e = &c->w.end;
    if (e->run != run || (e->stop != why && e->stop != why_too))
        emu_fail("%s: run %u ended as %u of run %u, code %u, not as %u", c->what, run, e->stop, e->run, e->code, why);
    if (e->stop == HD_STOP_DONE && c->w.run.shared->run != run + 1u)
        emu_fail("%s: the words are not ready for run %u", c->what, run + 1u);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static void run(test_case *c, uint32_t number)
{
    const uint64_t n_steps = STEPS_OF_RUN + c->app.n * STEPS_OF_TASK;
    memset((void *)c->cells.data(), 0, c->cells.size() * sizeof(soak_cell));
    n_switches += kernel_run(&c->job, c->seed * 16u + number % 16u, n_steps, c->what);
    n_tasks_run += sum_of(c).n;
}

static void run_well(test_case *c, uint32_t n)
{
    uint32_t number = c->config.first_run;
    for (; n; n--, number++) {
        run(c, number);
        check_end(c, number, HD_STOP_DONE, HD_STOP_DONE);
        check_total(c);
        if (hd_graph_blob(&c->graph)->n_watched && c->w.run.watched[0] != number)
            emu_fail("%s: nobody was told of the watched task", c->what);
    }
}

static void run_canceled(test_case *c)
{
    words_clear(&c->w);
    c->job.cancel_at = 1u + below(c, 2u << below(c, 18));
    run(c, c->config.first_run);
    c->job.cancel_at = 0;
    check_end(c, c->config.first_run, HD_STOP_CANCELED, HD_STOP_DONE);
    if (sum_of(c).n > c->app.n)
        emu_fail("%s: a task ran twice before the run was canceled", c->what);
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    test_case c = {};
    c.seed = seed;
    choose(&c, dispatch);
    make_graph(&c);
    c.cells.resize(c.config.n_workers);
    c.app.cells = c.cells.data();
    words_make(&c.w, &c.graph, &c.config, &c.app);
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
}

int main(int argc, char **argv)
{
#define NAME_OF(d) d,
    static const uint32_t dispatches[] = {KERNEL_DISPATCHES(NAME_OF)};
#undef NAME_OF
    const char *one = getenv("HEDDLE_SEED");
    uint64_t first = one ? strtoull(one, nullptr, 0) : 1u, n = one        ? 1u
                                                               : argc > 1 ? strtoull(argv[1], nullptr, 0)
                                                                          : 12u;
    uint64_t seed;
    for (uint32_t d : dispatches) {
        const clock_t began = clock();
        n_tasks_run = n_switches = 0;
        for (seed = first; seed < first + n; seed++)
            run_case(seed, d);
        printf("dispatch %u: %llu cases from HEDDLE_SEED=%llu, %llu tasks, %llu switches, %.1f s  ok\n", d,
               (unsigned long long)n, (unsigned long long)first, (unsigned long long)n_tasks_run,
               (unsigned long long)n_switches, (double)(clock() - began) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
    return 0;
}
