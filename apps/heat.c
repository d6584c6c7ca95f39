/* SPDX-License-Identifier: MIT */
/* heat.c - Gauss-Seidel sweeps in place over a field of temperatures, in row-major order, the border fixed.
 *
 * A task is a sweep over a tile. It reads the last row of the tile above and the last column of the tile to the left,
 * which have done this sweep, and the first row below and the first column to the right, which have not. With these
 * ranges sweep s + 1 follows sweep s through the field, a tile behind. */
#include "field.h"
#include "heat_bodies.h"

extern const app app_heat;

typedef struct heat_case {
    field f;
    heat_record record;
} heat_case;

static app_case *prepare(const app_request *q, char *error)
{
    return field_prepare(&app_heat, q, 1, sizeof(heat_case), error);
}

static int add(heat_case *h, uint64_t i, uint64_t j)
{
    tile_rect t = field_tile(&h->f, i, j);
    heddle_range r[5];
    size_t n = field_halo(&h->f, h->record.x, &t, r);
    r[n++] = field_cells(&h->f, h->record.x, &t, HEDDLE_MODE_INOUT);
    if (heddle_graph_add(h->f.c.graph, heat_sweep, &t, sizeof t, r, n, NULL) != HEDDLE_OK)
        return app_heddle_error(&h->f.c, "adding a task");
    return 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    heat_case *h = (heat_case *)c;
    c->ctx = ctx;
    if (field_mem_new(&h->f, &h->record.x) || field_put(&h->f, h->record.x))
        return -1;
    h->record.stride = (int64_t)c->n[1];
    c->record = &h->record;
    c->record_bytes = sizeof h->record;
    if (heddle_graph_new(ctx, &heat, &c->graph) != HEDDLE_OK)
        return app_heddle_error(c, "making the graph");
    for (int64_t s = 0; s < h->f.sweeps; s++)
        for (uint64_t i = 0; i < field_tiles(&h->f, 0); i++)
            for (uint64_t j = 0; j < field_tiles(&h->f, 1); j++)
                if (add(h, i, j))
                    return -1;
    return 0;
}

static int reset(app_case *c) { return field_put((field *)c, ((heat_case *)c)->record.x); }
static int read_back(app_case *c) { return field_get((field *)c, ((heat_case *)c)->record.x); }

static void sweep(float *x, uint64_t rows, uint64_t cols)
{
    for (uint64_t r = 1; r + 1 < rows; r++)
        for (uint64_t c = 1; c + 1 < cols; c++) {
            float *at = x + r * cols + c;
            *at = 0.25f * (*(at - cols) + at[cols] + at[1] + at[-1]);
        }
}

static int reference(app_case *c)
{
    field *f = (field *)c;
    if (f->want)
        return 0;
    if (field_want(f))
        return -1;
    for (int64_t s = 0; s < f->sweeps; s++)
        sweep(f->want, c->n[0], c->n[1]);
    return 0;
}

static int tiles(app_case *c)
{
    const heat_case *h = (const heat_case *)c;
    hd_fail fail = {0};
    _Alignas(128) unsigned char shared[HD_REDUCE_BYTES];
    heddle_lane lane = app_lane(&fail, shared);
    for (int64_t s = 0; s < h->f.sweeps; s++)
        for (uint64_t i = 0; i < field_tiles(&h->f, 0); i++)
            for (uint64_t j = 0; j < field_tiles(&h->f, 1); j++) {
                tile_rect t = field_tile(&h->f, i, j);
                heat.bodies[heat_sweep].run(&lane, &h->record, &t);
            }
    return 0;
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    if (c->ctx)
        heddle_mem_free(c->ctx, ((heat_case *)c)->record.x);
    field_free((field *)c);
}

static const app_option options[] = {{"sweeps", "1", "sweeps over the field, all in one graph"}, {NULL, NULL, NULL}};

const app app_heat = {
    .name = "heat",
    .summary = "Gauss-Seidel sweeps in place over a field of temperatures (fp32)",
    .formats = "one number a line, row-major; a square field unless -n is given",
    .options = options,
    .table = &heat,
    .n = {5760, 5760},
    .b = {64, 64},
    .prepare = prepare,
    .build = build,
    .reset = reset,
    .read = read_back,
    .reference = reference,
    .check = field_check,
    .tiles = tiles,
    .answer = field_answer,
    .free = free_case,
};
