/* SPDX-License-Identifier: MIT */
/* graph.c - the engine of task graphs, for scenarios. */
#include "app.h"

#include <stdio.h>

int app_graph_run(app_case *c)
{
    if (heddle_graph_run(c->ctx, c->graph, c->record, c->record_bytes) == HEDDLE_OK)
        return 0;
    snprintf(c->error, APP_ERROR, "%s", heddle_error_text(c->ctx));
    return -1;
}

size_t app_graph_facts(heddle_graph *g, app_fact out[APP_FACTS])
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    size_t n = 0;
    if (heddle_graph_get_info(g, &info) != HEDDLE_OK)
        return 0;
    out[n++] = (app_fact){"tasks", "# tasks", info.n_tasks};
    out[n++] = (app_fact){"edges", "# edges", info.n_edges};
    out[n++] = (app_fact){"levels", "# levels", info.n_levels};
    out[n++] = (app_fact){NULL, "at most # wide", info.max_width};
    return n;
}

static size_t facts(const app_case *c, app_fact out[APP_FACTS]) { return app_graph_facts(c->graph, out); }

const app_engine app_graph = {
    .name = "graph",
    .summary = "tasks and their dependences, known before the run or made while it runs",
    .run = app_graph_run,
    .facts = facts,
};
