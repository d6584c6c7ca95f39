/* SPDX-License-Identifier: MIT */
/* misuse.c - a body that misuses a spawn call ends the run with EBODY and a sentence that names the error and the task;
 * the same graph runs well afterwards. Handles pass from parent to parent while the parent that took them lives; later
 * they are stale. On the serial backend and emulated threads, and on one to three threads in every dispatch.
 *
 *     misuse [--cuda]     the same on a GPU */
#include "check.h"
#include "schedules.h"
#include "heddle.h"
#include "spawn/misuse_bodies.h"

#include <string.h>

static const struct {
    misuse_how how;
    const char *who, *what;
} cases[] = {
    {MISUSE_MANY, "task 0 (misuse_root)", "spawned more than the 4 tasks that HEDDLE_SPAWNER says of it"},
    {MISUSE_BODY, "task 0 (misuse_root)", "spawned a body that its table does not have"},
    {MISUSE_SIZE, "task 0 (misuse_root)", "or with a record of another size"},
    {MISUSE_AFTER, "task 0 (misuse_root)", "waits for more than 15 others (HEDDLE_MAX_AFTER)"},
    {MISUSE_NO_HANDLE, "task 0 (misuse_root)", "named a task by a handle that is none"},
    {MISUSE_NO_SUCH_TASK, "task 0 (misuse_root)", "whose slot has another task by now"},
    {MISUSE_LATE, "task 0 (misuse_root)", "called heddle_task_continue after heddle_task_spawn"},
    {MISUSE_TWICE, "task 0 (misuse_root)", "called heddle_task_continue twice"},
    {MISUSE_NO_BYTES, "task 0 (misuse_root)", "with a range"},
    {MISUSE_STRIDE, "task 0 (misuse_root)", "with a range"},
    {MISUSE_SPACE, "task 0 (misuse_root)", "with a range"},
    {MISUSE_MODE, "task 0 (misuse_root)", "with a range of no bytes, of no mode"},
    {MISUSE_NULL_ARGS, "task 0 (misuse_root)", "with NULL for arguments"},
    {MISUSE_NULL_SPAWN, "task 0 (misuse_root)", "with NULL for arguments"},
    {MISUSE_NULL_CONTINUE, "task 0 (misuse_root)", "with NULL for arguments"},
    {MISUSE_NULL_AFTER, "task 0 (misuse_root)", "with NULL for arguments, handles"},
    {MISUSE_NULL_RANGES, "task 0 (misuse_root)", "with NULL for arguments, handles or ranges"},
    {MISUSE_CHILD, "a spawned task (misuse_leaf)", "spawned a task and is no HEDDLE_SPAWNER"},
};

typedef struct rig {
    heddle_ctx *ctx;
    misuse_params params;
    const char *how; /* names the context in messages */
} rig;

static void *zeros(heddle_ctx *ctx, size_t n_bytes)
{
    static const uint8_t none[MISUSE_PAIRS * 8];
    void *p;
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, none, n_bytes));
    return p;
}

static heddle_status run(const rig *x, heddle_graph *g)
{
    return heddle_graph_run(x->ctx, g, &x->params, sizeof x->params);
}

static heddle_graph *graph_of(const rig *x, uint32_t body, uint32_t how)
{
    const misuse_args args = {0, how};
    heddle_graph *g;
    CHECK_OK(x->ctx, heddle_graph_new(x->ctx, &misuse, &g));
    CHECK_OK(x->ctx,
             heddle_graph_add(g, body, &args, sizeof args, HEDDLE_RANGES(HEDDLE_INOUT(x->params.leaf, 4)), NULL));
    return g;
}

/* Runs well, whatever has gone wrong before. */
static void check_good_run(const rig *x, heddle_graph *g)
{
    static const uint32_t none[MISUSE_CHILDREN];
    const misuse_args args = {0, MISUSE_NOT};
    uint32_t leaf[MISUSE_CHILDREN], i;
    CHECK_OK(x->ctx, heddle_graph_set_args(g, 0, &args, sizeof args));
    CHECK_OK(x->ctx, heddle_mem_write(x->ctx, x->params.leaf, none, sizeof none));
    CHECK_OK(x->ctx, run(x, g));
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, leaf, x->params.leaf, sizeof leaf));
    for (i = 0; i < MISUSE_CHILDREN; i++)
        CHECK_MSG(leaf[i] == 1, "%s: child %u ran %u times", x->how, i, leaf[i]);
}

static void test_cases(const rig *x)
{
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        heddle_graph *g = graph_of(x, misuse_root, cases[i].how);
        heddle_status s = run(x, g);
        const char *text = heddle_error_text(x->ctx);
        CHECK_MSG(s == HEDDLE_EBODY, "%s: case %u: %s: %s", x->how, cases[i].how, heddle_status_text(s), text);
        CHECK_MSG(strstr(text, cases[i].who) && strstr(text, cases[i].what), "%s: case %u: %s", x->how, cases[i].how,
                  text);
        check_good_run(x, g);
        heddle_graph_free(g);
    }
}

/* The children of one parent name those of another while the parent of both lives. */
static void test_across(const rig *x)
{
    heddle_graph *g = graph_of(x, misuse_keeper, MISUSE_NOT);
    uint32_t last[MISUSE_PAIRS], wrong, i, run_at;
    for (run_at = 1; run_at <= 5; run_at++) {
        CHECK_OK(x->ctx, run(x, g));
        CHECK_OK(x->ctx, heddle_mem_read(x->ctx, &wrong, x->params.wrong, 4));
        CHECK_MSG(!wrong, "%s: pair %u out of order", x->how, wrong - 1);
    }
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, last, x->params.last, sizeof last));
    for (i = 0; i < MISUSE_PAIRS; i++)
        CHECK_MSG(last[i] == 5, "%s: pair %u ran %u times", x->how, i, last[i]);
    heddle_graph_free(g);
}

/* A successor of that parent in the graph names one of them: the parent has ended, so the handles are stale. */
static void test_stale(const rig *x)
{
    heddle_graph *g = graph_of(x, misuse_keeper, MISUSE_NOT);
    const misuse_args args = {MISUSE_PAIRS - 1, MISUSE_NOT};
    const char *text;
    heddle_status s;
    CHECK_OK(x->ctx, heddle_graph_add(g, misuse_user, &args, sizeof args,
                                      HEDDLE_RANGES(HEDDLE_INOUT(x->params.leaf, 4)), NULL));
    s = run(x, g);
    text = heddle_error_text(x->ctx);
    CHECK_MSG(s == HEDDLE_EBODY && strstr(text, "task 1 (misuse_user)") && strstr(text, "another task by now"),
              "%s: %s: %s", x->how, heddle_status_text(s), text);
    heddle_graph_free(g);
}

/* A table without spawners gets no room for spawned tasks. */
typedef struct plain_args {
    uint32_t unused;
} plain_args;
#define PLAIN_BODIES(X) X(plain_body, 0)
HEDDLE_ENUM(plain, PLAIN_BODIES)
HEDDLE_BODY(plain_body, plain_args, params, plain_args, t)
{
    if (thread->index == 0)
        heddle_task_spawn(thread, plain_body, t, sizeof *t, NULL, 0, 0);
}
HEDDLE_TABLE(plain, plain_args, PLAIN_BODIES)

static void test_plain(const rig *x)
{
    const plain_args none = {0};
    heddle_graph *g;
    heddle_status s;
    CHECK_OK(x->ctx, heddle_graph_new(x->ctx, &plain, &g));
    CHECK_OK(x->ctx, heddle_graph_add(g, plain_body, &none, sizeof none, NULL, 0, NULL));
    s = heddle_graph_run(x->ctx, g, &none, sizeof none);
    CHECK_MSG(s == HEDDLE_EBODY && strstr(heddle_error_text(x->ctx), "no body of its table is a HEDDLE_SPAWNER"),
              "%s: %s: %s", x->how, heddle_status_text(s), heddle_error_text(x->ctx));
    heddle_graph_free(g);
}

/* No plan can be made for spawned tasks. */
static void test_static(const rig *x)
{
    heddle_graph *g = graph_of(x, misuse_keeper, MISUSE_NOT);
    const heddle_status s = run(x, g);
    CHECK_MSG(s == HEDDLE_EINVAL && strstr(heddle_error_text(x->ctx), "so schedule static cannot run it"), "%s: %s: %s",
              x->how, heddle_status_text(s), heddle_error_text(x->ctx));
    heddle_graph_free(g);
}

static void test_on(const heddle_config *c, const char *how)
{
    rig x;
    heddle_status s = heddle_ctx_open(&x.ctx, c);
    if (c->backend == HEDDLE_CUDA && s == HEDDLE_ENODEV)
        SKIP("%s", heddle_error_text(NULL));
    CHECK_OK(NULL, s);
    printf("%s, %u workers\n", how, c->n_workers);
    x.how = how;
    x.params.leaf = zeros(x.ctx, MISUSE_PAIRS * 4);
    x.params.last = zeros(x.ctx, MISUSE_PAIRS * 4);
    x.params.kept = zeros(x.ctx, MISUSE_PAIRS * 8);
    x.params.wrong = zeros(x.ctx, 4);
    if (c->schedule == HEDDLE_SCHEDULE_STATIC) {
        test_static(&x);
    } else {
        test_across(&x);
        test_stale(&x);
        test_cases(&x);
    }
    if (c->backend != HEDDLE_CUDA) /* this table is C only */
        test_plain(&x);
    heddle_mem_free(x.ctx, x.params.leaf);
    heddle_mem_free(x.ctx, x.params.last);
    heddle_mem_free(x.ctx, x.params.kept);
    heddle_mem_free(x.ctx, x.params.wrong);
    heddle_ctx_close(x.ctx);
}

static void test_serial(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_SERIAL;
    test_on(&c, "serial");
    c.team_size = 3;
    test_on(&c, "serial, three threads");
}

static void test_workers(heddle_backend backend, uint32_t n_most)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    size_t i;
    c.backend = backend;
    c.no_pin = 1;
    c.time_limit_ms = 30000;
    for (i = 0; i < N_WORKER_SCHEDULES; i++) {
        c.schedule = worker_schedules[i];
        for (c.n_workers = 1; c.n_workers <= n_most; c.n_workers++)
            test_on(&c, heddle_schedule_name(c.schedule));
    }
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        test_workers(HEDDLE_CUDA, 3);
        return 0;
    }
    test_serial();
    test_workers(HEDDLE_CPU, 3);
    return 0;
}
