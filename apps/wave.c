/* SPDX-License-Identifier: MIT */
/* wave.c - the engine of wavefronts, for scenarios. */
#include "app.h"

static size_t facts(const app_case *c, app_fact out[APP_FACTS])
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    if (heddle_graph_get_info(c->graph, &info) != HEDDLE_OK)
        return 0;
    out[0] = (app_fact){"cells", "# cells", c->n[0] * c->n[1]};
    out[1] = (app_fact){"tasks", "# parts, each some bands of rows", info.n_tasks};
    return 2;
}

const app_engine app_wave = {
    .name = "wave",
    .summary = "a body of one cell or of a tile, gone over by bands of rows that hand their borders on",
    .schedule = HEDDLE_SCHEDULE_WAVE,
    .run = app_graph_run,
    .facts = facts,
};
