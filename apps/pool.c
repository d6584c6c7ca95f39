/* SPDX-License-Identifier: MIT */
/* pool.c - the engine of pools, for scenarios: spawns the case's tasks by one call, and waits for all. */
#include "app.h"

#include <stdio.h>

static int run(app_case *c)
{
    const app_tasks *t = &c->tasks;
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    task.body = t->body;
    task.arg_bytes = t->arg_bytes;
    if (heddle_pool_spawn_many(c->pool, &task, t->args, t->arg_bytes, t->n, NULL, NULL) == HEDDLE_OK &&
        heddle_pool_wait_all(c->pool, HEDDLE_FOREVER) == HEDDLE_OK)
        return 0;
    snprintf(c->error, APP_ERROR, "%s", heddle_error_text(NULL));
    return -1;
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
