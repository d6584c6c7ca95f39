/* SPDX-License-Identifier: MIT */
/* kernels.h - core's persistent kernels in the emulator, with the bodies of any table. One C++ file includes it. */
#ifndef EMULATE_KERNELS_H
#define EMULATE_KERNELS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cuda.h"

#include "words.h"

typedef void (*kernel_function)(const hd_run r);

/* One launch of a kernel. */
typedef struct kernel_job {
    kernel_function kernel;
    words *w;
    uint32_t team;                           /* threads that run bodies */
    uint64_t cancel_at;                      /* the step at which the host cancels, 0 = never */
    void (*host)(void *self, uint64_t step); /* further actions of the host, or NULL */
    void *self;
} kernel_job;

/* A body's barrier: that of the team; a team of one warp may have none. */
typedef struct kernel_team {
    hd_emulated_team base;
    uint32_t n, barrier;
} kernel_team;

static void kernel_team_barrier(hd_emulated_team *t, uint32_t)
{
    const kernel_team *team = reinterpret_cast<kernel_team *>(t);
    emu_team_meet(team->barrier, team->n, EMU_SITE(heddle_team_barrier));
}

/* What HEDDLE_TABLE makes under nvcc, here for the table of the running graph. */
static const heddle_table *kernel_table;
template <int SPAWNS> struct kernel_bodies {
    enum { spawns = SPAWNS, waves = 0, pool_warps = SPAWNS ? 0 : 32 };
    void operator()(const heddle_thread *thread, uint32_t body, const void *params, const void *args) const
    {
        kernel_team team = {{kernel_team_barrier}, thread->team_size, thread->barrier};
        heddle_thread l = *thread;
        l.emulated = &team.base;
        if (body >= kernel_table->n_bodies)
            emu_fail("thread %u runs body %u, and the table has %u", l.index, body, kernel_table->n_bodies);
        kernel_table->bodies[body].run(&l, params, args);
    }
};

/* The dispatches with a dynamic kernel. */
#define KERNEL_DISPATCHES(X) \
    X(HD_DISPATCH_RINGS)     \
    X(HD_DISPATCH_TICKET) X(HD_DISPATCH_IQS) X(HD_DISPATCH_SCHEDULER) X(HD_DISPATCH_CENTRAL)

template <int SPAWNS> static kernel_function kernel_of(uint32_t dispatch, int traces)
{
    typedef kernel_bodies<SPAWNS> bodies;
#define KERNEL_CASE(d) \
    case d: return traces ? hd_persistent<bodies, d, 1> : hd_persistent<bodies, d, 0>;
    switch (dispatch) {
        KERNEL_DISPATCHES(KERNEL_CASE)
    case HD_DISPATCH_ORDER: /* for waves only */
        return traces ? hd_persistent<bodies, HD_DISPATCH_ORDER, HD_TRACE_BANDS>
                      : hd_persistent<bodies, HD_DISPATCH_ORDER, HD_TRACE_TASKS>;
    default: return traces ? hd_planned<bodies, 1> : hd_planned<bodies, 0>;
    }
#undef KERNEL_CASE
}

static void kernel_thread(void *arg)
{
    const kernel_job *j = static_cast<const kernel_job *>(arg);
    j->kernel(j->w->run);
}

static void kernel_host(void *arg, uint64_t step)
{
    const kernel_job *j = static_cast<const kernel_job *>(arg);
    uint32_t *stop = &j->w->run.control->fail.stop;
    if (j->cancel_at && step >= j->cancel_at && *stop == HD_STOP_NOT)
        *stop = HD_STOP_CANCELED;
    if (j->host)
        j->host(j->self, step);
}

/* Returns the number of switches, at most n_steps. */
[[maybe_unused]] static uint64_t kernel_run(kernel_job *j, uint64_t seed, uint64_t n_steps, const char *what)
{
    emu_launch l = {};
    kernel_table = j->w->graph->table;
    l.n_blocks = words_blocks(j->w);
    l.n_threads = j->team + words_more_threads(j->w);
    l.shared_bytes = hd_graph_blob(j->w->graph)->shared_bytes;
    l.seed = seed;
    l.n_steps = n_steps;
    l.what = what;
    l.code = kernel_thread;
    l.arg = j;
    l.beside = kernel_host;
    return emu_run(&l);
}

/* Totals over the cases of a program. */
static uint64_t n_tasks_run, n_switches;

/* Runs a program's cases under one dispatch: n of them (argument, n_else) from HEDDLE_SEED (1) on, or only the one that the
 * variable names. */
static void kernel_cases(int argc, char **argv, uint32_t dispatch, void (*run_case)(uint64_t seed, uint32_t dispatch),
                         uint32_t n_else = 12u)
{
    const char *one = getenv("HEDDLE_SEED");
    const uint64_t first = one ? strtoull(one, nullptr, 0) : 1u, n = one        ? 1u
                                                                     : argc > 1 ? strtoull(argv[1], nullptr, 0)
                                                                                : n_else;
    const clock_t began = clock();
    uint64_t seed;
    n_tasks_run = n_switches = 0;
    for (seed = first; seed < first + n; seed++)
        run_case(seed, dispatch);
    printf("dispatch %u: %llu cases from HEDDLE_SEED=%llu, %llu tasks, %llu switches, %.1f s  ok\n", dispatch,
           (unsigned long long)n, (unsigned long long)first, (unsigned long long)n_tasks_run,
           (unsigned long long)n_switches, (double)(clock() - began) / CLOCKS_PER_SEC);
    fflush(stdout);
}

#endif
