/* SPDX-License-Identifier: MIT */
/* jacobi.c - Jacobi sweeps over a field of temperatures, the border fixed.
 *
 * Two tasks per tile and sweep: compute reads the tile and those beside it in old and writes the tile in next; copy
 * stores it back to old. A tile's copy waits for the four neighbours' computes, which still read the old cells. The
 * next compute waits for the copies of five tiles, so sweeps overlap where the tiles allow it. */
#include "field.h"
#include "jacobi_bodies.h"

#include <stdlib.h>

extern const app app_jacobi;

typedef struct jacobi_case {
    field f;
    app_body body;
    jacobi_record record;
} jacobi_case;

static app_case *prepare(const app_request *q, char *error)
{
    app_case *c = field_prepare(&app_jacobi, q, 2, sizeof(jacobi_case), error);
    if (c && app_opt_body(&app_jacobi, q, &((jacobi_case *)c)->body, error)) {
        field_free((field *)c);
        return NULL;
    }
    return c;
}

static int add_compute(jacobi_case *p, uint64_t i, uint64_t j)
{
    tile_rect t = field_tile(&p->f, i, j);
    heddle_range r[6];
    size_t n = field_beside(&p->f, p->record.old, i, j, r);
    r[n++] = field_cells(&p->f, p->record.old, &t, HEDDLE_MODE_IN);
    r[n++] = field_cells(&p->f, p->record.next, &t, HEDDLE_MODE_OUT);
    return heddle_graph_add(p->f.c.graph, jacobi_compute, &t, sizeof t, r, n, NULL) == HEDDLE_OK ? 0 : -1;
}

static int add_copy(jacobi_case *p, uint64_t i, uint64_t j)
{
    tile_rect t = field_tile(&p->f, i, j);
    heddle_range from = field_cells(&p->f, p->record.next, &t, HEDDLE_MODE_IN);
    heddle_range to = field_cells(&p->f, p->record.old, &t, HEDDLE_MODE_OUT);
    return heddle_graph_add(p->f.c.graph, jacobi_copy, &t, sizeof t, HEDDLE_RANGES(from, to), NULL) == HEDDLE_OK ? 0
                                                                                                                 : -1;
}

static int add_sweep(jacobi_case *p, int (*add)(jacobi_case *p, uint64_t i, uint64_t j))
{
    for (uint64_t i = 0; i < field_tiles(&p->f, 0); i++)
        for (uint64_t j = 0; j < field_tiles(&p->f, 1); j++)
            if (add(p, i, j))
                return app_heddle_error(&p->f.c, "adding a task");
    return 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    jacobi_case *p = (jacobi_case *)c;
    c->ctx = ctx;
    if (field_mem_new(&p->f, &p->record.old) || field_mem_new(&p->f, &p->record.next) ||
        field_put(&p->f, p->record.old))
        return -1;
    p->record.stride = (int64_t)c->n[1];
    p->record.tuned = app_is_tuned(ctx, p->body);
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    if (app_new_graph(c, &jacobi))
        return -1;
    for (int64_t s = 0; s < p->f.sweeps; s++)
        if (add_sweep(p, add_compute) || add_sweep(p, add_copy))
            return -1;
    return 0;
}

static int reset(app_case *c) { return field_put((field *)c, ((jacobi_case *)c)->record.old); }
static int read_back(app_case *c) { return field_get((field *)c, ((jacobi_case *)c)->record.old); }

typedef struct plain_sweep {
    const float *from;
    float *to;
    const uint64_t *n;
} plain_sweep;

/* Sweeps rows begin .. end - 1, border rows included. */
static void sweep_rows(void *self, uint64_t begin, uint64_t end)
{
    const plain_sweep *s = self;
    const uint64_t rows = s->n[0], cols = s->n[1];
    for (uint64_t r = begin; r < end; r++) {
        const float *x = s->from + r * cols;
        float *y = s->to + r * cols;
        y[0] = x[0];
        y[cols - 1] = x[cols - 1];
        for (uint64_t c = 1; c + 1 < cols; c++)
            y[c] = r == 0 || r == rows - 1 ? x[c] : 0.25f * (*(x + c - cols) + x[c + cols] + x[c + 1] + x[c - 1]);
    }
}

static int reference(app_case *c)
{
    field *f = (field *)c;
    if (f->want)
        return 0;
    float *next = app_alloc(c->n[0] * c->n[1], sizeof(float), "the reference", c->error);
    if (!next || field_want(f)) {
        free(next);
        return -1;
    }
    for (int64_t s = 0; s < f->sweeps; s++) {
        plain_sweep x = {f->want, next, c->n};
        app_spread(c->n[0], c->n[1], sweep_rows, &x);
        next = f->want;
        f->want = x.to;
    }
    free(next);
    return 0;
}

static void tile_sweep(const jacobi_case *p, const heddle_thread *thread, uint32_t body)
{
    for (uint64_t i = 0; i < field_tiles(&p->f, 0); i++)
        for (uint64_t j = 0; j < field_tiles(&p->f, 1); j++) {
            tile_rect t = field_tile(&p->f, i, j);
            jacobi.bodies[body].run(thread, &p->record, &t);
        }
}

static int tiles(app_case *c)
{
    const jacobi_case *p = (const jacobi_case *)c;
    heddle_failure fail = {0};
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    for (int64_t s = 0; s < p->f.sweeps; s++) {
        tile_sweep(p, &thread, jacobi_compute);
        tile_sweep(p, &thread, jacobi_copy);
    }
    return 0;
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    if (c->ctx) {
        heddle_mem_free(c->ctx, ((jacobi_case *)c)->record.old);
        heddle_mem_free(c->ctx, ((jacobi_case *)c)->record.next);
    }
    field_free((field *)c);
}

static const app_option options[] = {
    {"sweeps", "2", "sweeps over the field, all in one graph"}, APP_OPTION_BODY, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app app_jacobi = {
    .name = "jacobi",
    .summary = "Jacobi sweeps over a field of temperatures (fp32): a compute and a copy task a tile",
    .formats = "one number a line, row-major; a square field unless -n is given",
    .options = options,
    .table = &jacobi,
    .scenarios = scenarios,
    .n = {1920, 1920},
    .b = {64, 64},
    .prepare = prepare,
    .read = read_back,
    .reference = reference,
    .check = field_check,
    .answer = field_answer,
    .free = free_case,
};
