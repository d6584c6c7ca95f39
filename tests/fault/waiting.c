/* SPDX-License-Identifier: MIT */
/* waiting.c - deadlines of a wait, of a watched task, of a run. Also two runs of one graph, too many jobs, calls on one
 * job from several threads. A body that does not return costs the context (in a process of its own). */
#include "base/base.h"
#include "fault/bodies.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* gate -> nap (watched) -> step, and a watched step beside them. */
typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *g;
    heddle_task at_gate, after, aside;
    uint64_t cell[N_CELLS];
    uint32_t gate, n_called;
    fault_params params;
} rig;

static heddle_task add_watched(rig *r, uint32_t body, const void *args, size_t n_bytes, uint32_t cell)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_range range = HEDDLE_INOUT(fault_key(cell), 8);
    heddle_task t;
    d.body = body;
    d.args = args;
    d.arg_bytes = n_bytes;
    d.ranges = &range;
    d.n_ranges = 1;
    d.flags = HEDDLE_TASK_WATCH;
    CHECK_OK(r->ctx, heddle_graph_add_task(r->g, &d, &t));
    return t;
}

/* A slow callback: a wait for the task must still return after it. */
static void called(void *arg, heddle_task t)
{
    (void)t;
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    __atomic_add_fetch(&((rig *)arg)->n_called, 1, __ATOMIC_RELAXED);
}

static void rig_open(rig *r, heddle_ctx *ctx)
{
    fault_nap_args none = {0};
    fault_step_args one = {1, 1};
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->params = (fault_params){r->cell, &r->gate};
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &r->g));
    CHECK_OK(ctx, heddle_graph_add(r->g, fault_gate, &none, sizeof none, HEDDLE_RANGES(HEDDLE_INOUT(fault_key(0), 8)),
                                   &r->at_gate));
    r->after = add_watched(r, fault_nap, &none, sizeof none, 0);
    CHECK_OK(ctx, fault_add_step(r->g, 0, 1, NULL));
    r->aside = add_watched(r, fault_step, &one, sizeof one, 1);
    CHECK_OK(ctx, heddle_graph_on_done(r->g, r->after, called, r));
    CHECK_OK(ctx, heddle_graph_on_done(r->g, r->aside, called, r));
}

static void open_gate(rig *r) { __atomic_store_n(&r->gate, 1, __ATOMIC_RELEASE); }
static heddle_status submit(rig *r, heddle_job **j)
{
    return heddle_graph_submit(r->ctx, r->g, &r->params, sizeof r->params, j);
}

static double ms_since(uint64_t begin) { return (double)(heddle_host_clock_ns() - begin) / 1e6; }

/* ---- deadlines of waits ----------------------------------------------------------------------------------------- */

static void check_goes_on(rig *r, heddle_job *j)
{
    uint64_t begin = heddle_host_clock_ns();
    CHECK(heddle_job_test(j) == HEDDLE_EBUSY);
    CHECK(heddle_job_wait(j, 0) == HEDDLE_EBUSY);
    CHECK(heddle_job_wait(j, 20) == HEDDLE_EBUSY && strlen(heddle_error_text(r->ctx)) > 10);
    CHECK(heddle_job_wait_task(j, r->after, 20) == HEDDLE_EBUSY && strlen(heddle_error_text(r->ctx)) > 10);
    CHECK(heddle_job_wait_task(j, r->after, 0) == HEDDLE_EBUSY);
    CHECK_MSG(ms_since(begin) >= 40, "two waits of 20 ms took %.1f ms", ms_since(begin));
    CHECK(heddle_job_wait_task(j, r->aside, HEDDLE_FOREVER) == HEDDLE_OK && r->cell[1] % 3 == 1);
    CHECK(heddle_job_wait_task(j, r->at_gate, 0) == HEDDLE_EINVAL &&
          heddle_job_wait_task(j, 99999, 0) == HEDDLE_EINVAL);
}

static void test_deadlines(heddle_ctx *ctx)
{
    rig r;
    heddle_job *j;
    uint32_t i;
    rig_open(&r, ctx);
    for (i = 1; i <= 3; i++) {
        r.gate = 0;
        CHECK_OK(ctx, submit(&r, &j));
        check_goes_on(&r, j);
        open_gate(&r);
        CHECK_OK(ctx, heddle_job_wait_task(j, r.after, HEDDLE_FOREVER));
        CHECK_MSG(r.n_called == 2 * i, "%u calls before wait_task returned in run %u", r.n_called, i);
        CHECK_OK(ctx, heddle_job_wait(j, 60000));
        CHECK(heddle_job_test(j) == HEDDLE_OK && heddle_job_wait_task(j, r.after, 0) == HEDDLE_OK);
        CHECK_MSG(r.n_called == 2 * i, "%u calls in %u runs", r.n_called, i);
        heddle_job_free(j);
    }
    CHECK_OK(ctx, heddle_graph_on_done(r.g, r.after, NULL, NULL)); /* removed */
    CHECK_OK(ctx, heddle_graph_run(ctx, r.g, &r.params, sizeof r.params));
    CHECK(r.n_called == 7);
    heddle_graph_free(r.g);
}

/* Each free waits: that of a job, of a graph in flight, of a context with a job in it. */
static void *open_later(void *arg)
{
    struct timespec ts = {0, 30000000};
    nanosleep(&ts, NULL);
    open_gate(arg);
    return NULL;
}

static void test_free_waits(heddle_ctx *ctx)
{
    rig r;
    heddle_job *j;
    pthread_t thread;
    rig_open(&r, ctx);
    CHECK_OK(ctx, submit(&r, &j));
    CHECK(pthread_create(&thread, NULL, open_later, &r) == 0);
    heddle_job_free(j);
    CHECK(r.cell[0] == 1);
    CHECK(pthread_join(thread, NULL) == 0);
    heddle_graph_free(r.g);
    heddle_job_free(NULL);
    heddle_graph_free(NULL);
    heddle_ctx_close(NULL);
}

/* ---- what is busy ------------------------------------------------------------------------------------------------ */

static void test_busy(heddle_ctx *ctx)
{
    rig r;
    heddle_job *j, *again = (heddle_job *)&r;
    heddle_stats st = HEDDLE_STATS_INIT;
    fault_step_args a = {1, 5};
    rig_open(&r, ctx);
    CHECK_OK(ctx, submit(&r, &j));
    CHECK(submit(&r, &again) == HEDDLE_EBUSY && again == NULL && strlen(heddle_error_text(ctx)) > 10);
    CHECK(heddle_graph_run(ctx, r.g, &r.params, sizeof r.params) == HEDDLE_EBUSY);
    CHECK(heddle_graph_set_args(r.g, r.aside, &a, sizeof a) == HEDDLE_EBUSY);
    CHECK(heddle_graph_on_done(r.g, r.aside, NULL, NULL) == HEDDLE_EBUSY);
    CHECK(heddle_graph_get_stats(r.g, &st) == HEDDLE_EBUSY);
    open_gate(&r);
    CHECK_OK(ctx, heddle_job_wait(j, HEDDLE_FOREVER));
    CHECK_OK(ctx, heddle_graph_get_stats(r.g, &st));
    CHECK(st.n_tasks == 4);
    heddle_job_free(j);
    CHECK_OK(ctx, heddle_graph_set_args(r.g, r.aside, &a, sizeof a));
    CHECK_OK(ctx, heddle_graph_run(ctx, r.g, &r.params, sizeof r.params));
    CHECK(r.cell[1] % 3 == 2);
    heddle_graph_free(r.g);
}

/* One job holds the workers, the others wait behind it up to a limit; afterwards there is room again. */
static void test_many_jobs(heddle_ctx *ctx)
{
    enum { N = 200 };
    static rig r[N];
    static heddle_job *j[N];
    heddle_status s = HEDDLE_OK;
    uint32_t i, n;
    for (i = 0; i < N; i++)
        rig_open(&r[i], ctx);
    for (n = 0; n < N && (s = submit(&r[n], &j[n])) == HEDDLE_OK; n++)
        continue;
    printf("%u jobs wait at once\n", n);
    CHECK_MSG(n >= 64 && n < N && s == HEDDLE_EBUSY, "%u: %s", n, heddle_status_text(s));
    CHECK(j[n] == NULL && strstr(heddle_error_text(ctx), "the limit is 64"));
    for (i = 0; i < N; i++)
        open_gate(&r[i]);
    for (i = 0; i < n; i++) {
        CHECK_OK(ctx, heddle_job_wait(j[i], HEDDLE_FOREVER));
        heddle_job_free(j[i]);
    }
    CHECK_OK(ctx, heddle_graph_run(ctx, r[n].g, &r[n].params, sizeof r[n].params));
    for (i = 0; i < N; i++) {
        CHECK(r[i].cell[0] == (i <= n));
        heddle_graph_free(r[i].g);
    }
}

/* ---- several threads on one job ---------------------------------------------------------------------------------- */

typedef struct waiter {
    pthread_t thread;
    heddle_job *j;
    rig *r;
    uint32_t how;
    heddle_status end;
} waiter;

static void *wait_somehow(void *arg)
{
    waiter *w = arg;
    switch (w->how % 4) {
    case 0: w->end = heddle_job_wait(w->j, HEDDLE_FOREVER); break;
    case 1:
        while ((w->end = heddle_job_wait(w->j, 1)) == HEDDLE_EBUSY)
            continue;
        break;
    case 2:
        while ((w->end = heddle_job_test(w->j)) == HEDDLE_EBUSY)
            sched_yield();
        break;
    default:
        while ((w->end = heddle_job_wait_task(w->j, w->r->after, 1)) == HEDDLE_EBUSY)
            continue;
    }
    return NULL;
}

static void test_threads(heddle_ctx *ctx)
{
    waiter w[8];
    uint32_t round, i;
    rig r;
    rig_open(&r, ctx);
    for (round = 0; round < 20; round++) {
        heddle_job *j;
        r.gate = 0;
        CHECK_OK(ctx, submit(&r, &j));
        for (i = 0; i < 8; i++) {
            w[i] = (waiter){.j = j, .r = &r, .how = i, .end = HEDDLE_EINVAL};
            CHECK(pthread_create(&w[i].thread, NULL, wait_somehow, &w[i]) == 0);
        }
        if (round % 2)
            nanosleep(&(struct timespec){0, 3000000}, NULL);
        open_gate(&r);
        for (i = 0; i < 8; i++) {
            CHECK(pthread_join(w[i].thread, NULL) == 0);
            CHECK_MSG(w[i].end == HEDDLE_OK, "waiter %u: %s", i, heddle_status_text(w[i].end));
        }
        heddle_job_free(j);
    }
    heddle_graph_free(r.g);
}

/* ---- the time limit ---------------------------------------------------------------------------------------------- */

/* The limit of runs that must later succeed: long enough for a busy machine to schedule its threads. */
#define LIMIT_MS 400u
#define LIMIT_TEXT "400 ms"

static heddle_ctx *open_limited(uint32_t limit_ms)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = 2;
    c.time_limit_ms = limit_ms;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

/* The limit also holds if no thread waits. */
static void test_limit_alone(void)
{
    heddle_ctx *ctx = open_limited(LIMIT_MS);
    fault_nap_args nap = {10000};
    heddle_job *j;
    uint32_t i;
    rig r;
    rig_open(&r, ctx);
    open_gate(&r);
    for (i = 0; i < 150; i++)
        CHECK_OK(ctx, heddle_graph_add(r.g, fault_nap, &nap, sizeof nap, HEDDLE_RANGES(HEDDLE_INOUT(fault_key(7), 8)),
                                       NULL));
    CHECK_OK(ctx, fault_add_step(r.g, 7, 9, NULL));
    CHECK_OK(ctx, submit(&r, &j));
    nanosleep(&(struct timespec){2, 0}, NULL); /* the naps would be over by then */
    CHECK(heddle_job_wait(j, HEDDLE_FOREVER) == HEDDLE_ETIMEDOUT && strstr(heddle_error_text(ctx), LIMIT_TEXT));
    CHECK(r.cell[7] == 0);
    heddle_job_free(j);
    fault_check_usable(ctx);
    heddle_graph_free(r.g);
    heddle_ctx_close(ctx);
}

/* A body takes longer than the limit, but returns. */
static void test_limit(int by_run)
{
    heddle_ctx *ctx = open_limited(LIMIT_MS);
    fault_nap_args nap = {1200000};
    uint64_t begin;
    char name[32];
    heddle_job *j = NULL;
    heddle_task t;
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    open_gate(&r);
    CHECK_OK(ctx, heddle_graph_add(r.g, fault_nap, &nap, sizeof nap, HEDDLE_RANGES(HEDDLE_INOUT(fault_key(7), 8)), &t));
    CHECK_OK(ctx, fault_add_step(r.g, 7, 9, NULL));
    begin = heddle_host_clock_ns();
    if (by_run)
        s = heddle_graph_run(ctx, r.g, &r.params, sizeof r.params);
    else
        s = submit(&r, &j) ? HEDDLE_EINVAL : heddle_job_wait(j, HEDDLE_FOREVER);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    CHECK(by_run || heddle_job_test(j) == HEDDLE_ETIMEDOUT);
    snprintf(name, sizeof name, "task %u (fault_nap)", t);
    CHECK_MSG(strstr(heddle_error_text(ctx), name) && strstr(heddle_error_text(ctx), LIMIT_TEXT), "%s",
              heddle_error_text(ctx));
    CHECK_MSG(ms_since(begin) >= 1150 && ms_since(begin) < 10000, "%.0f ms", ms_since(begin));
    CHECK(r.cell[7] == 0); /* its successor did not run */
    heddle_job_free(j);
    nap.us = 0;
    CHECK_OK(ctx, heddle_graph_set_args(r.g, t, &nap, sizeof nap));
    CHECK_OK(ctx, heddle_graph_run(ctx, r.g, &r.params, sizeof r.params)); /* the same graph, now quick */
    CHECK(r.cell[7] == 9);
    fault_check_usable(ctx);
    heddle_graph_free(r.g);
    heddle_ctx_close(ctx);
}

/* A chain takes longer than the limit as a whole: it is stopped between tasks, on the serial backend, too. */
static void test_limit_between(heddle_backend b)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    fault_nap_args nap = {2000};
    heddle_graph *g;
    heddle_ctx *ctx;
    uint64_t cell[N_CELLS], begin;
    fault_params params = {cell, NULL};
    heddle_status s;
    uint32_t i;
    c.backend = b;
    c.time_limit_ms = LIMIT_MS;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    for (i = 0; i < 5000; i++)
        CHECK_OK(ctx,
                 heddle_graph_add(g, fault_nap, &nap, sizeof nap, HEDDLE_RANGES(HEDDLE_INOUT(fault_key(7), 8)), NULL));
    begin = heddle_host_clock_ns();
    s = heddle_graph_run(ctx, g, &params, sizeof params);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT && strstr(heddle_error_text(ctx), LIMIT_TEXT), "%s backend: %s, after %.0f ms",
              heddle_backend_name(b), heddle_status_text(s), ms_since(begin));
    CHECK(ms_since(begin) < 8000);
    fault_check_usable(ctx);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

/* ---- the context is lost ----------------------------------------------------------------------------------------- */

#define CHECK_LOST(call) CHECK_MSG((call) == HEDDLE_EDEVICE, "%s", #call)

static void check_all_lost(rig *r, heddle_job *j)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_stats st = HEDDLE_STATS_INIT;
    heddle_graph *g;
    heddle_job *other;
    fault_step_args a = {1, 1};
    void *p;
    CHECK_LOST(heddle_job_test(j));
    CHECK_LOST(heddle_job_wait(j, 10));
    CHECK_LOST(heddle_job_wait_task(j, r->after, 10));
    CHECK_LOST(heddle_graph_run(r->ctx, r->g, &r->params, sizeof r->params));
    CHECK_LOST(submit(r, &other));
    CHECK_LOST(heddle_graph_new(r->ctx, &fault, &g));
    CHECK_LOST(heddle_mem_new(r->ctx, 8, &p));
    CHECK_LOST(heddle_mem_write(r->ctx, r->cell, r->cell, 8));
    CHECK_LOST(heddle_mem_read(r->ctx, r->cell, r->cell, 8));
    CHECK_LOST(heddle_graph_set_args(r->g, r->aside, &a, sizeof a));
    CHECK_LOST(heddle_graph_on_done(r->g, r->aside, NULL, NULL));
    CHECK_LOST(heddle_graph_add(r->g, fault_step, &a, sizeof a, NULL, 0, NULL));
    CHECK_LOST(heddle_graph_add_edge(r->g, r->aside, r->after));
    CHECK_LOST(heddle_graph_freeze(r->g));
    CHECK_LOST(heddle_graph_mark_urgent(r->g));
    CHECK_LOST(heddle_graph_set_shared_bytes(r->g, 0, 8));
    CHECK_LOST(heddle_graph_get_info(r->g, &info));
    CHECK_LOST(heddle_graph_get_stats(r->g, &st));
    CHECK_LOST(heddle_graph_read_json(r->ctx, NULL, "/nowhere", &g));
    CHECK_LOST(heddle_graph_write_json(r->g, "/nowhere"));
    CHECK(strstr(heddle_error_text(r->ctx), "lost"));
}

/* In the child: a gate stays shut past the limit and the grace period. Exit status 0 if all went as it should. */
static void lose(void)
{
    static rig r; /* static: the late worker still uses it */
    uint64_t begin = heddle_host_clock_ns();
    heddle_ctx *ctx = open_limited(50);
    heddle_job *j;
    rig_open(&r, ctx);
    CHECK_OK(ctx, submit(&r, &j));
    CHECK(heddle_job_wait(j, 200) == HEDDLE_EBUSY);
    CHECK_MSG(ms_since(begin) < 3000, "a wait of 200 ms took %.0f ms", ms_since(begin));
    nanosleep(&(struct timespec){6, 0}, NULL); /* the grace period passes although no thread waits */
    check_all_lost(&r, j);
    CHECK(heddle_job_wait(j, HEDDLE_FOREVER) == HEDDLE_EDEVICE && strstr(heddle_error_text(ctx), "limit of 50 ms"));
    CHECK_MSG(ms_since(begin) > 4000 && ms_since(begin) < 20000, "%.0f ms", ms_since(begin));
    heddle_job_cancel(j);
    heddle_job_free(j);
    heddle_graph_free(r.g);
    heddle_ctx_close(ctx);
    fault_check_usable(open_limited(0)); /* another context is not lost */
    open_gate(&r);                       /* the late worker finds its memory intact */
    nanosleep(&(struct timespec){0, 100000000}, NULL);
}

static pid_t start_lost(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child)
        return child;
    lose();
    fflush(stdout);
    _exit(0);
}

static void end_lost(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of the lost context ended with %#x", status);
}

int main(void)
{
    pid_t child = start_lost(); /* first: a process with threads must not fork, and its 5 s overlap the rest */
    heddle_ctx *ctx = fault_open(HEDDLE_CPU, 3);
    test_deadlines(ctx);
    test_free_waits(ctx);
    test_busy(ctx);
    test_many_jobs(ctx);
    test_threads(ctx);
    fault_check_usable(ctx);
    heddle_ctx_close(ctx);
    test_limit_alone();
    test_limit(1);
    test_limit(0);
    test_limit_between(HEDDLE_CPU);
    test_limit_between(HEDDLE_SERIAL);
    end_lost(child);
    return 0;
}
