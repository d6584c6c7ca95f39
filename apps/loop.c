/* SPDX-License-Identifier: MIT */
/* loop.c - the engine of loops, for scenarios; implements loop.h, also for jobs (jobs.c). */
#include "loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the form ---- */

app_loop_form app_loop_of(uint64_t n)
{
    app_loop_form f = {.desc = HEDDLE_LOOP_INIT};
    f.desc.n = n;
    return f;
}

void app_loop_add_rows(app_loop_form *f, app_rows rows) { f->rows[f->n_rows++] = rows; }
void app_loop_add_found(app_loop_form *f, heddle_reduction r) { f->found[f->n_found++] = r; }

/* ---- building ---- */

/* The devices that are a context's. */
static void devices_of(heddle_ctx *ctx, char out[32])
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    (void)heddle_ctx_get_config(ctx, &config);
    if (config.backend == HEDDLE_SERIAL)
        snprintf(out, 32, "serial");
    else if (config.backend == HEDDLE_CUDA)
        snprintf(out, 32, "cuda:%" PRIu32, config.device);
    else
        snprintf(out, 32, "cpu:%" PRIu32, config.n_workers);
}

/* Whatever comes of it, the case has the accelerator no longer. */
static int join(app_case *c)
{
    const heddle_accelerator *a = c->joins;
    const heddle_status s = a ? heddle_fleet_add(c->looping->fleet, a) : HEDDLE_OK;
    c->joins = NULL;
    if (s == HEDDLE_EINVAL || s == HEDDLE_EBUSY)
        a->close(a->self, 0);
    return s == HEDDLE_OK ? 0 : app_failed(c);
}

int app_fleet_open(app_case *c, heddle_ctx *ctx)
{
    heddle_fleet_config config = HEDDLE_FLEET_INIT;
    char devices[32];
    c->looping = app_alloc(1, sizeof *c->looping, "the fleet", c->error);
    if (!c->looping)
        return -1;
    memset(c->looping, 0, sizeof *c->looping);
    config.pool_bytes = c->spawning.pool_bytes;
    if (ctx)
        devices_of(ctx, devices);
    return heddle_fleet_open(&c->looping->fleet,
                             c->devices ? c->devices
                             : ctx      ? devices
                                        : NULL,
                             &config) == HEDDLE_OK
               ? join(c)
               : app_failed(c);
}

static int make_arrays(app_case *c)
{
    app_looping *l = c->looping;
    for (uint32_t i = 0; i < l->form.n_rows; i++) {
        heddle_array_desc d = HEDDLE_ARRAY_INIT;
        d.n_rows = l->form.rows[i].n_rows;
        d.row_bytes = l->form.rows[i].row_bytes;
        d.host = l->form.rows[i].host;
        if (heddle_array_new(l->fleet, &d, &l->arrays[i]) != HEDDLE_OK)
            return app_failed(c);
        l->n_arrays++;
    }
    return 0;
}

static int is_swapping(const app_loop_form *f) { return f->swaps[0] != f->swaps[1]; }

/* The array that stands in row i of the form. */
static heddle_array *array_of(const app_looping *l, uint32_t i, int is_swapped)
{
    const uint32_t *swaps = l->form.swaps;
    return l->arrays[!is_swapped ? i : i == swaps[0] ? swaps[1] : i == swaps[1] ? swaps[0] : i];
}

static heddle_access access_of(heddle_array *a, const app_rows *r)
{
    if (r->is_all)
        return (heddle_access)HEDDLE_ALL(a, r->field);
    if (r->is_rect)
        return (heddle_access)HEDDLE_RECT(a, r->mode, r->field, r->stride, r->column_bytes, r->first, r->n_of,
                                          r->first_2, r->n_columns);
    return (heddle_access)HEDDLE_ROWS(a, r->mode, r->field, r->before, r->after);
}

heddle_loop_desc app_loop_desc(const app_case *c, const app_rows *rows, int is_swapped,
                               heddle_access accesses[APP_MOST_ROWS])
{
    const app_looping *l = c->looping;
    heddle_loop_desc d = l->form.desc;
    for (uint32_t i = 0; i < l->form.n_rows; i++)
        accesses[i] = access_of(array_of(l, i, is_swapped), &rows[i]);
    d.accesses = accesses;
    d.n_accesses = l->form.n_rows;
    d.reductions = l->form.found;
    d.n_reductions = l->form.n_found;
    d.n_trace = c->n_trace;
    if (c->spawning.team_size)
        d.team_size = c->spawning.team_size;
    return d;
}

static int make_loop(app_case *c, int is_swapped, heddle_loop **out)
{
    heddle_access accesses[APP_MOST_ROWS];
    const heddle_loop_desc d = app_loop_desc(c, c->looping->form.rows, is_swapped, accesses);
    return heddle_loop_new(c->looping->fleet, c->app->loops, &d, out) == HEDDLE_OK ? 0 : app_failed(c);
}

static int make(app_case *c)
{
    app_looping *l = c->looping;
    if (make_loop(c, 0, &l->loop))
        return -1;
    return is_swapping(&l->form) ? make_loop(c, 1, &l->swapped) : 0;
}

int app_loop_open(app_case *c, heddle_ctx *ctx, const app_loop_form *f)
{
    if (app_fleet_open(c, ctx))
        return -1;
    c->looping->form = *f;
    if (f->cut && f->cut(c))
        return -1;
    return make_arrays(c) || c->scenario->engine->make(c) || app_loop_reset(c) ? -1 : 0;
}

void app_loop_close(app_case *c)
{
    app_looping *l = c->looping;
    if (!l)
        return;
    heddle_loop_free(l->loop);
    heddle_loop_free(l->swapped);
    heddle_sequence_free(l->sequence);
    for (uint64_t i = 0; l->kinds && i < l->n_kinds; i++)
        heddle_multi_free(l->kinds[i]);
    free(l->kinds);
    heddle_wavefront_free(l->front);
    for (uint32_t i = 0; i < l->n_arrays; i++)
        heddle_array_free(l->arrays[i]);
    heddle_fleet_close(l->fleet);
    free(l);
}

/* ---- between runs ---- */

static uint64_t number_bytes(heddle_number type) { return type == HEDDLE_I64 || type == HEDDLE_F64 ? 8 : 4; }

/* Jobs begin anew with all arrays at home. */
int app_loop_reset(app_case *c)
{
    const app_looping *l = c->looping;
    for (uint32_t i = 0; i < l->form.n_found; i++)
        memset(l->form.found[i].result, 0, l->form.found[i].n * number_bytes(l->form.found[i].type));
    for (uint32_t i = 0; i < l->form.n_rows; i++) {
        const app_rows *r = &l->form.rows[i];
        if (r->mode == HEDDLE_MODE_IN && !l->kinds)
            continue;
        if (r->mode != HEDDLE_MODE_IN)
            memset(r->host, 0, r->n_rows * r->row_bytes);
        if (heddle_array_wrote(l->arrays[i], 0, r->n_rows) != HEDDLE_OK)
            return app_failed(c);
    }
    return 0;
}

/* What the last run wrote: of two arrays that change places, the other one has only what came before. */
int app_loop_fetch(app_case *c)
{
    const app_looping *l = c->looping;
    const int is_swapped = l && is_swapping(&l->form) && l->form.n_runs && l->form.n_runs % 2 == 0;
    for (uint32_t i = 0; l && i < l->form.n_rows; i++)
        if (l->form.rows[i].mode != HEDDLE_MODE_IN &&
            heddle_array_fetch(array_of(l, i, is_swapped), 0, l->form.rows[i].n_rows) != HEDDLE_OK)
            return app_failed(c);
    return 0;
}

/* ---- the engine ---- */

static int wait(app_case *c, heddle_loop *l)
{
    const uint32_t limit = c->time_limit_ms ? c->time_limit_ms : HEDDLE_FOREVER;
    heddle_status s = heddle_loop_wait(l, limit);
    if (s != HEDDLE_EBUSY)
        return s == HEDDLE_OK ? 0 : app_failed(c);
    heddle_loop_cancel(l);
    if (heddle_loop_wait(l, HEDDLE_FOREVER) == HEDDLE_OK)
        return 0; /* just then it ended */
    snprintf(c->error, APP_ERROR, "the run reached its time limit of %" PRIu32 " ms", limit);
    return -1;
}

static int run_once(app_case *c, heddle_loop *l)
{
    if (heddle_loop_start(l, c->record, c->record_bytes) != HEDDLE_OK)
        return app_failed(c);
    return wait(c, l);
}

static int run(app_case *c)
{
    const app_looping *l = c->looping;
    const uint64_t n = l->form.n_runs ? l->form.n_runs : 1;
    for (uint64_t i = 0; i < n; i++) {
        if (l->form.turn)
            l->form.turn(c, i);
        if (run_once(c, l->swapped && i % 2 ? l->swapped : l->loop))
            return -1;
    }
    return 0;
}

static size_t facts(const app_case *c, app_fact out[APP_FACTS])
{
    const heddle_loop_desc *d = &c->looping->form.desc;
    size_t n = 0;
    out[n++] = (app_fact){"indices", "# indices", d->n};
    if (d->n_2)
        out[n++] = (app_fact){"indices_2", "each of #", d->n_2};
    if (d->tile)
        out[n++] = (app_fact){"tile", "tiles of #", d->tile};
    if (c->looping->form.n_runs > 1)
        out[n++] = (app_fact){"loop_runs", "# times", c->looping->form.n_runs};
    return n;
}

const app_engine app_loop = {
    .name = "loop",
    .summary = "one loop shared out over all devices of a fleet, cores and GPUs at once",
    .run = run,
    .facts = facts,
    .make = make,
};
