/* SPDX-License-Identifier: MIT */
/* changed.c - arguments of a loaded graph with bodies that spawn. Every run sees the last values, in small records and
 * large ones, also after a stopped run. Setting the arguments of all tasks takes linear time, not quadratic.
 *
 *     changed [--cuda]     the same on a GPU */
#include "check.h"
#include "heddle.h"
#include "spawn/changed_bodies.h"

#include <string.h>
#include <time.h>

#define N_TASKS 40000u
#define N_LARGE 1000u /* the first so many tasks have large records */
#define MOST_S 4.0    /* copying the graph at each call takes ten times as long */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* a busy machine's other programs do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *g;
    changed_params params;
} rig;

static uint32_t value_of(uint32_t task, uint32_t round) { return task * 7u + round * 1000003u; }

/* The argument record that holds a task's value. */
static const void *record_of(uint32_t task, uint32_t round, size_t *n_bytes)
{
    static changed_args small;
    static changed_large_args large;
    if (task < N_LARGE) {
        memset(&large, 0, sizeof large);
        large.at = task;
        large.value[task % CHANGED_LARGE] = value_of(task, round);
        *n_bytes = sizeof large;
        return &large;
    }
    small.at = task;
    small.value = value_of(task, round);
    *n_bytes = sizeof small;
    return &small;
}

static void add_all(rig *x)
{
    size_t n_bytes;
    uint32_t t;
    for (t = 0; t < N_TASKS; t++) {
        const void *args = record_of(t, 0, &n_bytes);
        CHECK_OK(x->ctx,
                 heddle_graph_add(x->g, t < N_LARGE ? changed_large : changed_small, args, n_bytes, NULL, 0, NULL));
    }
}

static void set_all(rig *x, uint32_t round)
{
    size_t n_bytes;
    uint32_t t;
    for (t = 0; t < N_TASKS; t++) {
        const void *args = record_of(t, round, &n_bytes);
        CHECK_OK(x->ctx, heddle_graph_set_args(x->g, t, args, n_bytes));
    }
}

static void check_run(rig *x, uint32_t round, const char *how)
{
    static uint32_t seen[N_TASKS];
    uint32_t t;
    CHECK_OK(x->ctx, heddle_graph_run(x->ctx, x->g, &x->params, sizeof x->params));
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, seen, x->params.seen, sizeof seen));
    for (t = 0; t < N_TASKS; t++)
        CHECK_MSG(seen[t] == value_of(t, round), "%s: task %u saw %u in round %u", how, t, seen[t], round);
}

/* A stopped run leaves words behind that must be cleared before the next. */
static void stop_a_run(rig *x)
{
    heddle_job *job;
    CHECK_OK(x->ctx, heddle_graph_submit(x->ctx, x->g, &x->params, sizeof x->params, &job));
    heddle_job_cancel(job);
    (void)heddle_job_wait(job, HEDDLE_FOREVER);
    heddle_job_free(job);
}

static void test(heddle_backend backend, heddle_schedule schedule)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    const char *how = heddle_backend_name(backend);
    double begin;
    rig x;
    c.backend = backend;
    c.schedule = schedule;
    c.n_workers = backend == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&x.ctx, &c));
    CHECK_OK(x.ctx, heddle_mem_new(x.ctx, N_TASKS * sizeof(uint32_t), (void **)&x.params.seen));
    CHECK_OK(x.ctx, heddle_graph_new(x.ctx, &changed, &x.g));
    add_all(&x);
    check_run(&x, 0, how);
    begin = now_s();
    set_all(&x, 1);
    CHECK_MSG(now_s() - begin < MOST_S, "%s: setting %u records took %.1f s", how, N_TASKS, now_s() - begin);
    check_run(&x, 1, how);
    stop_a_run(&x);
    set_all(&x, 2);
    check_run(&x, 2, how);
    heddle_graph_free(x.g);
    heddle_mem_free(x.ctx, x.params.seen);
    heddle_ctx_close(x.ctx);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            SKIP("no GPU here");
        test(HEDDLE_CUDA, HEDDLE_SCHEDULE_RINGS);
        test(HEDDLE_CUDA, HEDDLE_SCHEDULE_TICKET);
        return 0;
    }
    test(HEDDLE_SERIAL, HEDDLE_SCHEDULE_AUTO);
    test(HEDDLE_CPU, HEDDLE_SCHEDULE_RINGS);
    test(HEDDLE_CPU, HEDDLE_SCHEDULE_TICKET);
    return 0;
}
