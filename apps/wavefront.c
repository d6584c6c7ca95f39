/* SPDX-License-Identifier: MIT */
/* wavefront.c - the engine of wavefronts over fleets, for scenarios (loop.h). */
#include "loop.h"

heddle_array *app_front_array(app_case *c, void *host, uint64_t n_rows, uint64_t row_bytes)
{
    app_looping *l = c->looping;
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    d.n_rows = n_rows;
    d.row_bytes = row_bytes;
    d.host = host;
    if (heddle_array_new(l->fleet, &d, &l->arrays[l->n_arrays]) != HEDDLE_OK) {
        (void)app_failed(c);
        return NULL;
    }
    return l->arrays[l->n_arrays++];
}

int app_front_new(app_case *c, const heddle_wavefront_desc *d)
{
    heddle_wavefront_desc full = *d;
    full.time_limit_ms = c->time_limit_ms;
    full.n_trace = c->n_trace;
    return heddle_wavefront_new(c->looping->fleet, c->app->cells, &full, &c->looping->front) == HEDDLE_OK
               ? 0
               : app_failed(c);
}

static int run(app_case *c)
{
    return heddle_wavefront_run(c->looping->front, c->record, c->record_bytes) == HEDDLE_OK ? 0 : app_failed(c);
}

static size_t facts(const app_case *c, app_fact out[APP_FACTS])
{
    out[0] = (app_fact){"cells", "# cells", c->n[0] * c->n[1]};
    return 1;
}

const app_engine app_wavefront = {
    .name = "wavefront",
    .summary = "a body of one cell over all devices of a fleet, each with strides of rows",
    .run = run,
    .facts = facts,
};
