/* SPDX-License-Identifier: MIT */
/* graphs.cpp - frozen graphs through core's kernels in the emulator: every dispatch, with and without tracing.
 *
 *     emulate_graphs [CASES]       cases for each dispatch; HEDDLE_SEED: run only that case, under every dispatch
 *
 * A case's number gives a random graph, blocks, team sizes, a config and switches. The graph runs several
 * times without clearing, perhaps across the wrap of the run number. Then a body may fail or the host cancel; after
 * clearing the graph runs once more. What must hold: each task runs once, after its predecessors; the words are those
 * of program order; watched tasks are announced; the next run finds its words; the run's end is reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels.h"

#include "check.h"
#include "litmus/graphs.h"
#include "litmus/mix.h"

#define STEPS_OF_TASK 200000u /* a run with more switches hangs */
#define STEPS_OF_RUN 4000000u

namespace
{
struct test_case {
    uint64_t seed, random;
    words_config config;
    uint32_t team, n_runs;
    char what[200];
    litmus_graph graph;
    litmus_params params;
    std::vector<uint32_t> cells, stamps, oracle;
    words w;
    kernel_job job;
};
} // namespace

static uint32_t below(test_case *c, uint32_t n) { return (uint32_t)check_below(&c->random, n); }

/* ---- a case ---------------------------------------------------------------------------------------- */

static uint64_t mark_random;
static uint32_t mark_places; /* 0: no task is bound */
static void mark(heddle_task_desc *d, uint32_t)
{
    if (check_below(&mark_random, 5) == 0)
        d->flags |= HEDDLE_TASK_WATCH;
    if (mark_places && check_below(&mark_random, 4) == 0)
        d->place = 1u + (uint32_t)check_below(&mark_random, mark_places);
}

static void make_graph(test_case *c)
{
    static const char *const names[] = {"random", "random", "random", "wavefront", "lu", "chain", "independent"};
    const uint32_t kind = below(c, 40) ? below(c, 7) : 7u;
    mark_random = c->seed;
    mark_places = hd_dispatch_binds(c->config.dispatch) && below(c, 3) == 0 ? c->config.n_workers : 0;
    litmus_mark = below(c, 2) ? mark : nullptr;
    switch (kind) {
    case 3: litmus_wavefront(&c->graph, 1u + below(c, 20), 1u + below(c, 20)); break;
    case 4: litmus_lu(&c->graph, 2u + below(c, 5)); break;
    case 5: litmus_wavefront(&c->graph, 1, 20u + below(c, 200)); break;
    case 6: litmus_independent(&c->graph, 1u + below(c, 500)); break;
    case 7: litmus_wavefront(&c->graph, 40, 40); break;
    default: litmus_random(&c->graph, c->seed); break;
    }
    snprintf(c->what, sizeof c->what,
             "HEDDLE_SEED=%llu: %s, %u tasks, dispatch %u policy %u, %u workers of %u, ring %u, trace %u",
             (unsigned long long)c->seed, kind < 7 ? names[kind] : "large wavefront", c->graph.n_tasks,
             c->config.dispatch, c->config.policy, c->config.n_workers, c->team, c->config.n_ring, c->config.n_trace);
}

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
    f->n_trace = below(c, 3) == 0 ? 1u + below(c, 300) : 0;
    f->has_now = below(c, 3) == 0;
    f->first_run = below(c, 3) ? 1u : 0u - below(c, 3);
    f->style = below(c, 2) ? HD_PLAN_PATH : HD_PLAN_DEPTH;
    c->team = 32u * (1u + below(c, 2));
    c->n_runs = 1u + below(c, 4);
}

static void make_app(test_case *c)
{
    const size_t n = c->graph.n_tasks;
    c->cells.resize((size_t)c->graph.n_cells * LITMUS_CELL);
    c->oracle.resize(c->cells.size());
    c->stamps.resize(3 * n + 1);
    c->params.cells = c->cells.data();
    c->params.ran = c->stamps.data();
    c->params.begin = c->params.ran + n;
    c->params.end = c->params.begin + n;
    c->params.clock = c->params.end + n;
}

/* ---- checks ----------------------------------------------------------------------------------------- */

static void check_tasks(test_case *c, int stopped)
{
    const char *bad = litmus_check(&c->graph, c->params.ran, c->params.begin, c->params.end, stopped);
    if (bad)
        emu_fail("%s: %s", c->what, bad);
    if (stopped)
        return;
    litmus_oracle(&c->graph, c->params.salt, c->oracle.data());
    if (c->oracle != c->cells)
        emu_fail("%s: the words differ from those of program order", c->what);
}

static void check_counters(const test_case *c, uint32_t run)
{
    const hd_run *r = &c->w.run;
    uint32_t t, need;
    for (t = 0; t < r->n_tasks; t++) {
        need = r->tasks[t].n_in;
        if (c->w.steps.steps)
            need = c->w.steps.steps[c->w.steps.step_of[t]].need;
        else if (need < 2u)
            continue;
        if (r->count[t] != run * need)
            emu_fail("%s: counter %u stands at %u, not at run %u x %u", c->what, t, r->count[t], run, need);
    }
}

static void check_watched(const test_case *c, uint32_t run)
{
    const uint32_t n = hd_graph_blob(c->w.graph)->n_watched;
    uint32_t i;
    for (i = 0; i < n; i++)
        if (c->w.run.watched[i] != run)
            emu_fail("%s: nobody was told of watched task %u", c->what, i);
}

static void check_tallies(const test_case *c)
{
    const hd_run *r = &c->w.run;
    uint32_t i, n = 0, n_events = 0;
    for (i = 0; i < r->n_workers; i++) {
        n += r->tallies[i].n_tasks;
        n_events += r->tallies[i].n_events + r->tallies[i].n_dropped;
    }
    if (n != c->graph.n_tasks)
        emu_fail("%s: the tallies have %u tasks", c->what, n);
    if (r->events && n_events != n)
        emu_fail("%s: the trace has %u events", c->what, n_events);
}

static void check_end(const test_case *c, uint32_t run, uint32_t why, uint32_t why_too)
{
    const hd_end *e = &c->w.end;
    if (e->run != run || (e->stop != why && e->stop != why_too))
        emu_fail("%s: run %u ended as %u of run %u, not as %u", c->what, run, e->stop, e->run, why);
    if (e->stop == HD_STOP_DONE && c->w.run.control->run != run + 1u)
        emu_fail("%s: the words are not ready for run %u", c->what, run + 1u);
}

/* ---- runs ------------------------------------------------------------------------------------------- */

static void run(test_case *c, uint32_t number, uint32_t failing)
{
    const uint64_t n_steps = STEPS_OF_RUN + (uint64_t)c->graph.n_tasks * STEPS_OF_TASK;
    uint64_t seed = c->seed * 16u + number % 16u;
    memset(c->stamps.data(), 0, c->stamps.size() * 4u);
    memset(c->cells.data(), LITMUS_BLANK & 0xff, c->cells.size() * 4u);
    *c->params.clock = 1;
    c->params.salt = number;
    c->params.failing = failing;
    n_switches += kernel_run(&c->job, seed, n_steps, c->what);
    n_tasks_run += c->graph.n_tasks;
}

static void run_well(test_case *c, uint32_t n)
{
    uint32_t number = c->config.first_run;
    for (; n; n--, number++) {
        run(c, number, HD_NONE);
        check_end(c, number, HD_STOP_DONE, HD_STOP_DONE);
        check_tasks(c, 0);
        check_counters(c, number);
        check_watched(c, number);
        check_tallies(c);
    }
}

static void run_failing(test_case *c)
{
    words_clear(&c->w);
    run(c, c->config.first_run, below(c, c->graph.n_tasks));
    check_end(c, c->config.first_run, HD_STOP_FAILED, HD_STOP_FAILED);
    if (c->w.end.code != LITMUS_FAIL_CODE)
        emu_fail("%s: code %u was noted", c->what, c->w.end.code);
    check_tasks(c, 1);
}

static void run_canceled(test_case *c)
{
    words_clear(&c->w);
    c->job.cancel_at = 1u + below(c, 2u << below(c, 18));
    run(c, c->config.first_run, HD_NONE);
    c->job.cancel_at = 0;
    check_end(c, c->config.first_run, HD_STOP_CANCELED, HD_STOP_DONE);
    check_tasks(c, c->w.end.stop != HD_STOP_DONE);
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    test_case c = {};
    c.seed = seed;
    choose(&c, dispatch);
    make_graph(&c);
    make_app(&c);
    words_make(&c.w, (const hd_graph *)c.graph.owner, &c.config, &c.params);
    c.job.w = &c.w;
    c.job.kernel = kernel_of<0>(dispatch, c.config.n_trace != 0);
    c.job.team = c.team;
    run_well(&c, c.n_runs);
    if (below(&c, 3) == 0)
        run_failing(&c);
    if (below(&c, 3) == 0)
        run_canceled(&c);
    words_clear(&c.w);
    run_well(&c, 1);
    words_free(&c.w);
    litmus_free(&c.graph);
}

int main(int argc, char **argv)
{
#define NAME_OF(d) d,
    static const uint32_t dispatches[] = {HD_DISPATCH_PLAN, KERNEL_DISPATCHES(NAME_OF)};
#undef NAME_OF
    for (uint32_t d : dispatches)
        kernel_cases(argc, argv, d, run_case);
    return 0;
}
