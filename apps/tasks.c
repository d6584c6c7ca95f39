/* SPDX-License-Identifier: MIT */
/* tasks.c - implements tasks.h. */
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>

#define COPY_BYTES (1u << 18) /* of a worker: enough for a task of any app at the size that it has by default */

uint64_t app_n_tiles(const app_case *c, int axis) { return (c->n[axis] + c->b[axis] - 1) / c->b[axis]; }

tile_rect app_tile(const app_case *c, uint64_t i, uint64_t j)
{
    tile_rect t;
    t.row = i * c->b[0];
    t.col = j * c->b[1];
    t.rows = (uint32_t)app_smaller(c->n[0] - t.row, c->b[0]);
    t.cols = (uint32_t)app_smaller(c->n[1] - t.col, c->b[1]);
    return t;
}

static int check_rows(const app_case *c, char *error)
{
    if (!c->spawning.copies || c->b[1] == c->n[1])
        return 0;
    snprintf(error, APP_ERROR, "--copies: whole rows go with a task, not %llu of %llu columns",
             (unsigned long long)c->b[1], (unsigned long long)c->n[1]);
    return -1;
}

int app_tasks_cut(app_case *c, char *error)
{
    const uint64_t n = app_n_tiles(c, 0) * app_n_tiles(c, 1);
    tile_rect *all = check_rows(c, error) ? NULL : app_alloc(n, sizeof *all, "the tiles", error);
    if (!all)
        return -1;
    for (uint64_t k = 0; k < n; k++)
        all[k] = app_tile(c, k / app_n_tiles(c, 1), k % app_n_tiles(c, 1));
    c->tasks = (app_tasks){.args = all, .arg_bytes = sizeof *all, .n = n};
    return 0;
}

void app_tasks_free(app_case *c)
{
    heddle_graph_free(c->graph);
    heddle_pool_free(c->pool);
    free(c->tasks.args);
    free(c->tasks.bodies);
    free(c->tasks.each);
    free(c->tasks.records);
    free(c->tasks.copies);
}

static const void *args_of(const app_tasks *t, uint64_t i) { return (const char *)t->args + i * t->arg_bytes; }

int app_tasks_graph(app_case *c)
{
    const app_tasks *t = &c->tasks;
    if (app_new_graph(c, c->app->table))
        return -1;
    for (uint64_t i = 0; i < t->n; i++)
        if (heddle_graph_add(c->graph, app_task_body(t, i), args_of(t, i), t->arg_bytes, NULL, 0, NULL) != HEDDLE_OK)
            return app_heddle_error(c, "adding a task");
    return 0;
}

/* The threads that a task of serial has are the context's. */
static uint32_t team_size(const app_case *c)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    const int is_serial = heddle_ctx_get_config(c->ctx, &config) == HEDDLE_OK && config.backend == HEDDLE_SERIAL;
    return is_serial ? 0 : c->spawning.team_size;
}

static int open_pool(app_case *c, const heddle_table *table, const void *record, size_t record_bytes)
{
    heddle_pool_config config = HEDDLE_POOL_CONFIG_INIT;
    config.team_size = team_size(c);
    config.copy_bytes = c->spawning.copies && !getenv("HEDDLE_POOL_COPY_BYTES") ? COPY_BYTES : 0;
    if (heddle_pool_new(c->ctx, table, record, record_bytes, &config, &c->pool) != HEDDLE_OK)
        return app_failed(c);
    return 0;
}

int app_tasks_pool(app_case *c) { return open_pool(c, c->app->table, c->record, c->record_bytes); }

int app_is_apart(const app_case *c) { return c->spawning.copies || c->spawning.irregular || c->spawning.n_blocks > 1; }

int app_open_apart(app_case *c, heddle_ctx *ctx, const heddle_table *apart)
{
    void *nothing = calloc(1, apart->params_bytes); /* a task's record is in its arguments */
    int rc;
    c->ctx = ctx;
    if (!nothing) {
        snprintf(c->error, APP_ERROR, "out of memory for a record");
        return -1;
    }
    rc = open_pool(c, apart, nothing, apart->params_bytes);
    free(nothing);
    return rc;
}

int app_pool_apart(app_case *c, heddle_ctx *ctx)
{
    return app_open_apart(c, ctx, c->app->apart) || c->app->set_apart(c, ctx, c->pool) ? -1 : 0;
}

/* Block-shared bytes of the hungriest body, for a lone thread; with those of reductions. NULL: no memory. */
static void *new_shared(const heddle_table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->n_bodies; i++)
        most = table->bodies[i].shared_bytes > most ? table->bodies[i].shared_bytes : most;
    return aligned_alloc(128, (HEDDLE_REDUCE_BYTES + (size_t)most + 127u) / 128u * 128u);
}

static void run_apart(const heddle_table *apart, const heddle_pool_task *task, heddle_thread *thread)
{
    thread->n_blocks = task->n_blocks ? task->n_blocks : 1;
    for (thread->block = 0; thread->block < thread->n_blocks; thread->block++)
        apart->bodies[task->body].run(thread, NULL, task->args);
}

int app_tasks_loop(app_case *c)
{
    const app_tasks *t = &c->tasks;
    heddle_failure fail = {0};
    void *shared = new_shared(c->app->table);
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    if (!shared) {
        snprintf(c->error, APP_ERROR, "out of memory for what bodies share");
        return -1;
    }
    for (uint64_t i = 0; i < t->n; i++)
        if (t->each)
            run_apart(c->app->apart, &t->each[i], &thread);
        else
            c->app->table->bodies[app_task_body(t, i)].run(&thread, c->record, args_of(t, i));
    free(shared);
    return 0;
}
