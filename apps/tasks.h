/* SPDX-License-Identifier: MIT */
/* tasks.h - tiles of a problem's rows and columns; and the scenarios of apps with one independent task for each tile. Functions
 * that return int return 0, or -1 with the sentence. */
#ifndef TASKS_H
#define TASKS_H

#include "app.h"
#include "tile.h"

uint64_t app_n_tiles(const app_case *c, int axis); /* along an axis */
tile_rect app_tile(const app_case *c, uint64_t i, uint64_t j);

/* For prepare: one task for each block, of the table's first body. */
int app_tasks_cut(app_case *c, char *error);
/* For build: the tasks as a graph without edges, or a pool that is to run them. */
int app_tasks_graph(app_case *c);
int app_tasks_pool(app_case *c);
/* Whether the request wants a pool of tasks apart; for build: opens it, and calls the app's set_apart. */
int app_is_apart(const app_case *c);
int app_pool_apart(app_case *c, heddle_ctx *ctx);
/* The same for a case of parts, which share its pool. */
int app_open_apart(app_case *c, heddle_ctx *ctx, const heddle_table *apart);
/* A scenario's `tiles`. */
int app_tasks_loop(app_case *c);
/* For free, before the memory that the tasks use. */
void app_tasks_free(app_case *c);

#endif
