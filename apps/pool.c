/* SPDX-License-Identifier: MIT */
/* pool.c - the engine of pools, for scenarios: spawns the case's tasks, and waits for all. */
#include "app.h"

#include <stdio.h>

int app_pool_failed(app_case *c)
{
    snprintf(c->error, APP_ERROR, "%s", heddle_error_text(NULL));
    return -1;
}

/* Tasks of one body by one call, of several bodies one by one. */
static int spawn(app_case *c)
{
    const app_tasks *t = &c->tasks;
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    heddle_status s = HEDDLE_OK;
    task.body = t->body;
    task.arg_bytes = t->arg_bytes;
    if (!t->bodies)
        s = heddle_pool_spawn_many(c->pool, &task, t->args, t->arg_bytes, t->n, NULL, NULL);
    for (uint64_t i = 0; t->bodies && i < t->n && s == HEDDLE_OK; i++)
        s = heddle_pool_spawn(c->pool, t->bodies[i], (const char *)t->args + i * t->arg_bytes, t->arg_bytes, 0, NULL);
    return s == HEDDLE_OK ? 0 : app_pool_failed(c);
}

static int run(app_case *c)
{
    if (c->tasks.spawn ? c->tasks.spawn(c) : spawn(c))
        return -1;
    return heddle_pool_wait_all(c->pool, HEDDLE_FOREVER) == HEDDLE_OK ? 0 : app_pool_failed(c);
}

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
