/* SPDX-License-Identifier: MIT */
/* pool.c - the engine of pools, for scenarios: spawns the case's tasks, by one thread or several, and waits for all. */
#include "app.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether task i goes on with what task i - 1 is, but for its record, which is the next one. */
static int goes_on(const heddle_pool_task *each, uint64_t i)
{
    const heddle_pool_task *a = &each[i - 1], *b = &each[i];
    return a->body == b->body && a->team_size == b->team_size && a->n_blocks == b->n_blocks && !b->n_copies &&
           (const char *)b->args == (const char *)a->args + a->arg_bytes;
}

/* Tasks that go on with each other by one call. */
static heddle_status spawn_each(app_case *c, uint64_t begin, uint64_t end)
{
    const heddle_pool_task *each = c->tasks.each;
    heddle_status s = HEDDLE_OK;
    for (uint64_t i = begin, next; i < end && s == HEDDLE_OK; i = next) {
        for (next = i + 1; next < end && goes_on(each, next);)
            next++;
        s = heddle_pool_spawn_many(c->pool, &each[i], each[i].args, each[i].arg_bytes, next - i, NULL, NULL);
    }
    return s;
}

/* Tasks of one body by one call, of several bodies one by one. */
static heddle_status spawn(app_case *c, uint64_t begin, uint64_t end)
{
    const app_tasks *t = &c->tasks;
    const char *args = (const char *)t->args;
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    heddle_status s = HEDDLE_OK;
    if (t->each)
        return spawn_each(c, begin, end);
    task.body = t->body;
    task.arg_bytes = t->arg_bytes;
    if (!t->bodies)
        return heddle_pool_spawn_many(c->pool, &task, args + begin * t->arg_bytes, t->arg_bytes, end - begin, NULL,
                                      NULL);
    for (uint64_t i = begin; i < end && s == HEDDLE_OK; i++)
        s = heddle_pool_spawn(c->pool, t->bodies[i], args + i * t->arg_bytes, t->arg_bytes, 0, NULL);
    return s;
}

/* What one of several threads spawns. */
typedef struct share {
    app_case *c;
    uint64_t begin, end;
    pthread_t thread;
    char error[APP_ERROR]; /* "": all is well */
} share;

static void *spawn_share(void *arg)
{
    share *s = arg;
    if (spawn(s->c, s->begin, s->end) != HEDDLE_OK)
        snprintf(s->error, sizeof s->error, "%s", heddle_error_text(NULL));
    return NULL;
}

/* Tasks from begin to before end; the first of n shares is this thread's. */
static int spawn_shares(app_case *c, share *shares, uint32_t n, uint64_t begin, uint64_t end)
{
    const uint64_t all = end - begin;
    uint32_t n_threads;
    int rc = 0;
    for (uint32_t k = 0; k < n; k++)
        shares[k] = (share){.c = c, .begin = begin + all * k / n, .end = begin + all * (k + 1u) / n};
    for (n_threads = 1; n_threads < n; n_threads++)
        if (pthread_create(&shares[n_threads].thread, NULL, spawn_share, &shares[n_threads]))
            break;
    for (uint32_t k = n_threads; k < n; k++)
        spawn_share(&shares[k]); /* there was no thread for it */
    spawn_share(&shares[0]);
    for (uint32_t k = 1; k < n_threads; k++)
        pthread_join(shares[k].thread, NULL);
    for (uint32_t k = 0; k < n; k++)
        if (*shares[k].error) {
            memcpy(c->error, shares[k].error, sizeof c->error);
            rc = -1;
        }
    return rc;
}

static int wait_all(app_case *c)
{
    return heddle_pool_wait_all(c->pool, HEDDLE_FOREVER) == HEDDLE_OK ? 0 : app_failed(c);
}

static int spawn_all(app_case *c)
{
    const uint32_t n = c->spawning.n_threads ? c->spawning.n_threads : 1;
    const uint64_t at_once = c->spawning.at_once ? c->spawning.at_once : c->tasks.n;
    share *shares = app_alloc(n, sizeof *shares, "the spawning threads", c->error);
    int rc = shares ? 0 : -1;
    for (uint64_t at = 0; !rc && at < c->tasks.n; at += at_once)
        rc = (at && wait_all(c)) || spawn_shares(c, shares, n, at, app_smaller(at + at_once, c->tasks.n)) ? -1 : 0;
    free(shares);
    return rc;
}

static int run(app_case *c) { return (c->tasks.spawn ? c->tasks.spawn(c) : spawn_all(c)) || wait_all(c) ? -1 : 0; }

static size_t facts(const app_case *c, app_fact out[APP_FACTS])
{
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    if (heddle_pool_get_info(c->pool, &info) != HEDDLE_OK)
        return 0;
    out[0] = (app_fact){"tasks", "# tasks", c->tasks.n};
    out[1] = (app_fact){"slots", "# slots", info.n_slots};
    return 2;
}

const app_engine app_pool = {
    .name = "pool",
    .summary = "tasks spawned one after another from the CPU, each of which starts as soon as a worker is free",
    .run = run,
    .facts = facts,
};
