/* SPDX-License-Identifier: MIT */
/* tasks.c - implements tasks.h. */
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>

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

int app_tasks_cut(app_case *c, char *error)
{
    const uint64_t n = app_n_tiles(c, 0) * app_n_tiles(c, 1);
    tile_rect *all = app_alloc(n, sizeof *all, "the tiles", error);
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

int app_tasks_pool(app_case *c)
{
    if (heddle_pool_new(c->ctx, c->app->table, c->record, c->record_bytes, NULL, &c->pool) != HEDDLE_OK)
        return app_heddle_error(c, "opening the pool");
    return 0;
}

/* Block-shared bytes of the hungriest body, for a lone thread; with those of reductions. NULL: no memory. */
static void *new_shared(const heddle_table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->n_bodies; i++)
        most = table->bodies[i].shared_bytes > most ? table->bodies[i].shared_bytes : most;
    return aligned_alloc(128, (HEDDLE_REDUCE_BYTES + (size_t)most + 127u) / 128u * 128u);
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
        c->app->table->bodies[app_task_body(t, i)].run(&thread, c->record, args_of(t, i));
    free(shared);
    return 0;
}
