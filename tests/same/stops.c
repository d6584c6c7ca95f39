/* SPDX-License-Identifier: MIT */
/* stops.c - runs on threads that stop early, with every schedule: a body fails, the job is canceled, the time limit
 * passes. Workers that wait for a task that never becomes ready leave, too; status and sentence are right, and the
 * graph runs again. */
#include "base/base.h"
#include "check.h"
#include "heddle/task.h"
#include "schedules.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define WIDTH 3u
#define DEPTH 20u
#define HELD 33u /* the task that fails or holds the run */

typedef struct stops_params {
    uint32_t *fail, *hold; /* code with which HELD fails; 1: HELD does not return */
    uint32_t *n_ran;
} stops_params;

HEDDLE_BODY(stops_step, stops_params, params, uint32_t, number)
{
    __atomic_fetch_add(params->n_ran, 1u, __ATOMIC_RELAXED);
    if (*number != HELD)
        return;
    while (__atomic_load_n(params->hold, __ATOMIC_RELAXED))
        nanosleep(&(struct timespec){0, 200000}, NULL);
    if (*params->fail)
        heddle_task_fail(thread, *params->fail);
}

#define STOPS_BODIES(X) X(stops_step, 0)
HEDDLE_ENUM(stops, STOPS_BODIES)
HEDDLE_TABLE(stops, stops_params, STOPS_BODIES)

typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *graph;
    uint32_t fail, hold, n_ran, limit_ms;
    stops_params params;
} rig;

/* Makes every task of a row depend on the whole row before it. */
static void rig_open(rig *x, heddle_schedule schedule, uint32_t n_workers, uint32_t time_limit_ms)
{
    static uint8_t row[WIDTH];
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    uint32_t i;
    memset(x, 0, sizeof *x);
    x->params = (stops_params){&x->fail, &x->hold, &x->n_ran};
    cfg.backend = HEDDLE_CPU;
    cfg.schedule = schedule;
    cfg.n_workers = n_workers;
    cfg.time_limit_ms = time_limit_ms;
    x->limit_ms = time_limit_ms;
    CHECK_OK(NULL, heddle_ctx_open(&x->ctx, &cfg));
    CHECK_OK(x->ctx, heddle_graph_new(x->ctx, &stops, &x->graph));
    for (i = 0; i < WIDTH * DEPTH; i++) {
        uint32_t k = i / WIDTH;
        heddle_range r[3] = {HEDDLE_IN(row, 1), HEDDLE_IN(row + 1, 1), HEDDLE_IN(row + 2, 1)};
        r[i % WIDTH].mode = HEDDLE_MODE_INOUT;
        CHECK_OK(x->ctx,
                 heddle_graph_add(x->graph, stops_step, &i, sizeof i, k % 2 ? r : r + i % WIDTH, k % 2 ? 3 : 1, NULL));
    }
}

static void rig_close(rig *x)
{
    heddle_graph_free(x->graph);
    heddle_ctx_close(x->ctx);
}

static heddle_status rig_run(rig *x)
{
    x->n_ran = 0;
    return heddle_graph_run(x->ctx, x->graph, &x->params, sizeof x->params);
}

/* Runs to the end. On a busy machine a run may pass a limit that was meant for one that holds. */
static void run_whole(rig *x)
{
    heddle_status s;
    uint32_t n = 0;
    do
        s = rig_run(x);
    while (s == HEDDLE_ETIMEDOUT && x->limit_ms && ++n < 100);
    CHECK_OK(x->ctx, s);
    CHECK(x->n_ran == WIDTH * DEPTH);
}

/* The graph must run again as if nothing had happened. */
static void check_again(rig *x)
{
    x->fail = x->hold = 0;
    run_whole(x);
    run_whole(x);
}

static void test_fails(heddle_schedule schedule, uint32_t n_workers)
{
    uint32_t i;
    rig x;
    rig_open(&x, schedule, n_workers, 0);
    for (i = 0; i < 3; i++) {
        x.fail = 7 + i;
        CHECK(rig_run(&x) == HEDDLE_EBODY);
        CHECK_MSG(strstr(heddle_error_text(x.ctx), "failed with code") &&
                      strstr(heddle_error_text(x.ctx), "stops_step"),
                  "%s", heddle_error_text(x.ctx));
        CHECK_MSG(x.n_ran > HELD / WIDTH && x.n_ran < WIDTH * DEPTH, "%u ran", x.n_ran);
        check_again(&x);
    }
    rig_close(&x);
}

static void test_cancel(heddle_schedule schedule, uint32_t n_workers)
{
    heddle_job *j;
    rig x;
    rig_open(&x, schedule, n_workers, 0);
    __atomic_store_n(&x.hold, 1u, __ATOMIC_RELAXED);
    CHECK_OK(x.ctx, heddle_graph_submit(x.ctx, x.graph, &x.params, sizeof x.params, &j));
    CHECK(heddle_job_wait(j, 20) == HEDDLE_EBUSY);
    heddle_job_cancel(j);
    __atomic_store_n(&x.hold, 0u, __ATOMIC_RELAXED);
    CHECK(heddle_job_wait(j, HEDDLE_FOREVER) == HEDDLE_ECANCELED);
    heddle_job_free(j);
    CHECK(x.n_ran < WIDTH * DEPTH);
    check_again(&x);
    rig_close(&x);
}

/* Lets the held body go some time after the limit. */
static void *open_door(void *arg)
{
    rig *x = arg;
    const uint32_t ms = x->limit_ms + 200u;
    nanosleep(&(struct timespec){ms / 1000u, (long)(ms % 1000u) * 1000000L}, NULL);
    __atomic_store_n(&x->hold, 0u, __ATOMIC_RELAXED);
    return NULL;
}

/* Runs into the limit. Repeats if a busy machine had not come to HELD by then, or another worker had not come to wait for it; and if the limit
 * was noticed after the door was open. */
static const char *run_into_limit(rig *x, int waits)
{
    const char *text = "";
    heddle_status s;
    pthread_t door;
    uint32_t n;
    for (n = 0; n < 50 && !(strstr(text, "(stops_step)") && (!waits || strstr(text, "waits for task"))); n++) {
        __atomic_store_n(&x->hold, 1u, __ATOMIC_RELAXED);
        CHECK(pthread_create(&door, NULL, open_door, x) == 0);
        s = rig_run(x);
        CHECK(s == HEDDLE_ETIMEDOUT || s == HEDDLE_OK);
        CHECK(pthread_join(door, NULL) == 0);
        text = s ? heddle_error_text(x->ctx) : "";
        text = strstr(text, "in task") ? text : "";
    }
    return text;
}

static void test_limit(heddle_schedule schedule, uint32_t n_workers)
{
    /* Only under static does a worker know the task that it waits for. */
    const int waits = schedule == HEDDLE_SCHEDULE_STATIC && n_workers > 1;
    const char *text;
    rig x;
    rig_open(&x, schedule, n_workers, 100u * n_workers); /* on a busy machine a task waits for its worker's turn */
    text = run_into_limit(&x, waits);
    CHECK_MSG(strstr(text, "in task") && strstr(text, "(stops_step)"), "%s", heddle_error_text(x.ctx));
    CHECK_MSG(!waits || strstr(text, "waits for task"), "%s", text);
    check_again(&x);
    rig_close(&x);
}

/* Each allocation of the first run, which loads the graph, fails once. */
static void test_memory(heddle_schedule schedule)
{
    heddle_status s = HEDDLE_ENOMEM;
    uint64_t n;
    rig x;
    rig_open(&x, schedule, 3, 0);
    CHECK_OK(x.ctx, heddle_graph_freeze(x.graph));
    for (n = 1; s != HEDDLE_OK; n++) {
        hd_fail_alloc_at(n);
        s = rig_run(&x);
        hd_fail_alloc_at(0);
        CHECK_MSG(s == HEDDLE_OK ? n > 2 : s == HEDDLE_ENOMEM, "allocation %llu: %s", (unsigned long long)n,
                  heddle_error_text(x.ctx));
    }
    check_again(&x);
    rig_close(&x);
}

int main(void)
{
    uint64_t held = hd_held_bytes();
    static const uint32_t worker_counts[] = {1, 2, 3, 7};
    size_t i, w;
    for (i = 0; i < N_WORKER_SCHEDULES; i++) {
        const heddle_schedule s = worker_schedules[i];
        test_memory(s);
        for (w = 0; w < sizeof worker_counts / sizeof worker_counts[0]; w++) {
            test_fails(s, worker_counts[w]);
            test_cancel(s, worker_counts[w]);
            test_limit(s, worker_counts[w]);
        }
    }
    CHECK(hd_held_bytes() == held);
    return 0;
}
