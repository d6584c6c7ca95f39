/* SPDX-License-Identifier: MIT */
/* misplaced.c - calls from places where they would wait for ever: a body or callback on its own context, a forked child
 * on its parent's. Each call gets a sentence, and the context stays as good as before. An alarm ends what hangs. */
#include "fault/bodies.h"

#include <sys/wait.h>
#include <unistd.h>

static const char in_body[] = "a body or a callback of this context";

typedef struct scene scene;
typedef struct misplaced_params {
    scene *of;
} misplaced_params;

/* The calls of a body: their context, and their results. */
struct scene {
    heddle_ctx *ctx;
    heddle_graph *g, *other;
    heddle_job *j;
    uint32_t ready; /* 0: the body waits */
    uint32_t n_tried;
    heddle_status said[8];
    char text[8][256];
};

static void note(scene *s, heddle_status said)
{
    s->said[s->n_tried] = said;
    snprintf(s->text[s->n_tried++], sizeof s->text[0], "%s", heddle_error_text(s->ctx));
}

static void try_all(scene *s)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_job *j = NULL;
    note(s, heddle_graph_run(s->ctx, s->other, NULL, 0));
    note(s, heddle_graph_run(s->ctx, s->g, &(misplaced_params){s}, sizeof(misplaced_params)));
    note(s, heddle_graph_submit(s->ctx, s->other, NULL, 0, &j));
    note(s, heddle_ctx_reconfigure(s->ctx, &c));
    if (s->j) {
        note(s, heddle_job_wait(s->j, HEDDLE_FOREVER));
        note(s, heddle_job_wait_task(s->j, 0, HEDDLE_FOREVER));
        heddle_job_free(s->j);
    }
    heddle_graph_free(s->g);
    heddle_ctx_close(s->ctx);
}

typedef struct misplaced_args {
    uint32_t unused;
} misplaced_args;
#define MISPLACED_BODIES(X) X(misplaced_body, 0)
HEDDLE_ENUM(misplaced, MISPLACED_BODIES)
HEDDLE_BODY(misplaced_body, misplaced_params, params, misplaced_args, t)
{
    while (params->of && !__atomic_load_n(&params->of->ready, __ATOMIC_ACQUIRE))
        sched_yield();
    if (params->of && thread->index == thread->team_size - 1) /* in an emulated block: a thread of the team */
        try_all(params->of);
}
HEDDLE_TABLE(misplaced, misplaced_params, MISPLACED_BODIES)

static void called(void *arg, heddle_task t)
{
    (void)t;
    if (arg)
        try_all(arg);
}

static void scene_open(scene *s, const heddle_config *c)
{
    const misplaced_args none = {0};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    memset(s, 0, sizeof *s);
    s->ready = 1;
    CHECK_OK(NULL, heddle_ctx_open(&s->ctx, c));
    CHECK_OK(s->ctx, heddle_graph_new(s->ctx, &misplaced, &s->g));
    CHECK_OK(s->ctx, heddle_graph_new(s->ctx, &fault, &s->other));
    d.body = misplaced_body;
    d.args = &none;
    d.arg_bytes = sizeof none;
    d.flags = HEDDLE_TASK_WATCH;
    CHECK_OK(s->ctx, heddle_graph_add_task(s->g, &d, NULL));
}

static void scene_close(scene *s)
{
    fault_check_usable(s->ctx);
    heddle_graph_free(s->g);
    heddle_graph_free(s->other);
    heddle_ctx_close(s->ctx);
}

static void scene_check(scene *s, uint32_t n_tried, const char *words, heddle_status status)
{
    uint32_t i;
    CHECK_MSG(s->n_tried == n_tried, "%u calls", s->n_tried);
    for (i = 0; i < n_tried; i++)
        CHECK_MSG(s->said[i] == status && strstr(s->text[i], words), "call %u: %s: %s", i,
                  heddle_status_text(s->said[i]), s->text[i]);
}

/* Tries all calls once from a body, once from a callback. */
static void test_inside(const heddle_config *c)
{
    scene s;
    misplaced_params none = {NULL}, self = {&s};
    scene_open(&s, c);
    CHECK_OK(s.ctx, heddle_graph_run(s.ctx, s.g, &self, sizeof self));
    scene_check(&s, 4, in_body, HEDDLE_EINVAL);
    s.n_tried = 0;
    CHECK_OK(s.ctx, heddle_graph_on_done(s.g, 0, called, &s));
    CHECK_OK(s.ctx, heddle_graph_run(s.ctx, s.g, &none, sizeof none));
    scene_check(&s, 4, in_body, HEDDLE_EINVAL);
    CHECK_OK(s.ctx, heddle_graph_on_done(s.g, 0, NULL, NULL));
    scene_close(&s);
}

static void start(scene *s)
{
    const misplaced_params self = {s};
    __atomic_store_n(&s->ready, 0, __ATOMIC_RELAXED);
    CHECK_OK(s->ctx, heddle_graph_submit(s->ctx, s->g, &self, sizeof self, &s->j));
}

static void end(scene *s)
{
    __atomic_store_n(&s->ready, 1, __ATOMIC_RELEASE);
    CHECK_OK(s->ctx, heddle_job_wait(s->j, HEDDLE_FOREVER));
    heddle_job_free(s->j);
    s->j = NULL;
}

/* A body waits for the job that it is part of. */
static void test_own_job(const heddle_config *c)
{
    scene s;
    scene_open(&s, c);
    start(&s);
    end(&s);
    scene_check(&s, 6, in_body, HEDDLE_EINVAL);
    scene_close(&s);
}

/* In the child: no call on the parent's context hangs, and a context of its own works. */
static void be_child(scene *s)
{
    (void)alarm(60);
    try_all(s);
    scene_check(s, s->j ? 6 : 4, "the process that forked this one", HEDDLE_EDEVICE);
    /* Not under sanitizers: after the fork of a process with threads they lack threads, or a lock stays held. */
#if !defined(HEDDLE_TSAN) && !defined(HEDDLE_ASAN)
    fault_check_usable(fault_open(HEDDLE_CPU, 2));
#endif
    _exit(0);
}

static void test_fork(const heddle_config *c, int in_flight)
{
    int status;
    pid_t child;
    scene s;
    scene_open(&s, c);
    if (in_flight)
        start(&s);
    child = fork();
    CHECK(child >= 0);
    if (!child)
        be_child(&s);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %#x", status);
    if (in_flight)
        end(&s);
    scene_close(&s);
}

int main(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    (void)alarm(120);
    c.backend = HEDDLE_SERIAL;
    test_inside(&c);
    test_fork(&c, 0);
    c.team_size = 3;
    test_inside(&c);
    c.team_size = 0;
    c.backend = HEDDLE_CPU;
    for (c.n_workers = 1; c.n_workers <= 3; c.n_workers += 2) {
        test_inside(&c);
        test_own_job(&c);
        test_fork(&c, 0);
        test_fork(&c, 1);
    }
    c.time_limit_ms = 60000; /* adds a thread that the child lacks */
    test_fork(&c, 1);
    return 0;
}
