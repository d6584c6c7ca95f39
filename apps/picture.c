/* SPDX-License-Identifier: MIT */
/* picture.c - a grey picture and its tables of prefix sums: input, graph, check. See picture.h. */
#include "picture.h"
#include "input.h"
#include "noise.h"
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE (1ull << 30)

uint64_t picture_cells(const picture *p) { return p->c.n[0] * p->c.n[1]; }

static size_t table_bytes(const picture *p)
{
    return (size_t)(picture_cells(p) * p->record.n_planes) * sizeof(uint32_t);
}

/* ---- prepare and free ---- */

static int get_pixels(const app_case *c, uint8_t **pixels, char *error)
{
    *pixels = app_alloc(c->n[0] * c->n[1], 1, "the picture", error);
    return *pixels ? 0 : -1;
}

static int load_file(app_case *c, const app_request *q, uint8_t **pixels, char *error)
{
    app_request whole = *q;
    uint8_t *photograph = NULL;
    uint64_t size[2];
    int rc;
    if (input_pgm(q->inputs[0], &photograph, &size[0], &size[1], error))
        return -1;
    rc = mosaic_side(size[0], q->n[0], "rows", &whole.n[0], error) ||
                 mosaic_side(size[1], q->n[1], "columns", &whole.n[1], error) ||
                 app_sizes(c->app, &whole, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error) ||
                 get_pixels(c, pixels, error)
             ? -1
             : 0;
    if (!rc)
        mosaic_lay(photograph, size, *pixels, c->n);
    free(photograph);
    return rc;
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    uint8_t *pixels = self;
    for (uint64_t i = begin; i < end; i++)
        pixels[i] = (uint8_t)(noise_u64(2, i) >> 56);
}

int picture_pixels(app_case *c, const app_request *q, uint8_t **pixels, char *error)
{
    if (q->n_inputs)
        return load_file(c, q, pixels, error);
    if (app_sizes(c->app, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error) || get_pixels(c, pixels, error))
        return -1;
    app_spread(c->n[0] * c->n[1], 1, fill, *pixels);
    return 0;
}

/* Bodies index the rows and columns of a tile's planes with an int. */
static int check_tile(const picture *p, char *error)
{
    uint64_t most = INT32_MAX / p->record.n_planes;
    if (p->c.b[0] <= most && p->c.b[1] <= most)
        return 0;
    snprintf(error, APP_ERROR, "%s: tiles have %llu rows and columns at most", p->c.app->name,
             (unsigned long long)most);
    return -1;
}

app_case *picture_prepare(const app *a, const app_request *q, uint32_t n_planes, char *error)
{
    picture *p = app_alloc(1, sizeof *p, "the case", error);
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    app_begin(&p->c, a);
    p->record.n_planes = n_planes;
    if (!app_opt_body(a, q, &p->body, error) && !picture_pixels(&p->c, q, &p->pixels, error) && !check_tile(p, error)) {
        p->record.stride = p->c.n[1];
        p->record.plane_cells = picture_cells(p);
        p->result = app_alloc(picture_cells(p), n_planes * sizeof(uint32_t), "the result", error);
        if (p->result)
            return &p->c;
    }
    picture_free(&p->c);
    return NULL;
}

void picture_free(app_case *c)
{
    picture *p = (picture *)c;
    if (!p)
        return;
    app_tasks_free(c);
    if (c->ctx) {
        heddle_mem_free(c->ctx, p->at_pixels);
        heddle_mem_free(c->ctx, p->record.table);
    }
    free(p->pixels);
    free(p->result);
    free(p->want);
    free(p);
}

/* ---- graph ---- */

static heddle_range cells(const picture *p, const tile_rect *t, heddle_mode mode)
{
    const uint64_t size = sizeof(uint32_t), stride = p->record.stride;
    return heddle_range_of(p->record.table + tile_row(t, stride, 0), t->cols * size, t->rows, stride * size, mode);
}

/* A task reads the last row and column of the tiles above and to the left, named as whole tiles: all tasks then name
 * the same ranges, found by one look-up each. The corner's tile precedes both. One plane's addresses stand for all
 * planes, which are always accessed together. Pixels are never written and need no range. */
static int add(picture *p, uint64_t i, uint64_t j)
{
    tile_rect t = app_tile(&p->c, i, j), beside;
    heddle_range r[3];
    size_t n = 0;
    r[n++] = cells(p, &t, HEDDLE_MODE_OUT);
    if (i) {
        beside = app_tile(&p->c, i - 1, j);
        r[n++] = cells(p, &beside, HEDDLE_MODE_IN);
    }
    if (j) {
        beside = app_tile(&p->c, i, j - 1);
        r[n++] = cells(p, &beside, HEDDLE_MODE_IN);
    }
    if (heddle_graph_add(p->c.graph, 0, &t, sizeof t, r, n, NULL) != HEDDLE_OK)
        return app_heddle_error(&p->c, "adding a task");
    return 0;
}

static int memory(picture *p)
{
    void *pixels, *table;
    if (heddle_mem_new(p->c.ctx, picture_cells(p), &pixels) != HEDDLE_OK)
        return app_heddle_error(&p->c, "memory for the picture");
    p->record.pixels = p->at_pixels = pixels;
    if (heddle_mem_new(p->c.ctx, table_bytes(p), &table) != HEDDLE_OK)
        return app_heddle_error(&p->c, "memory for the tables");
    p->record.table = table;
    if (heddle_mem_write(p->c.ctx, pixels, p->pixels, picture_cells(p)) != HEDDLE_OK)
        return app_heddle_error(&p->c, "writing the picture");
    return picture_reset(&p->c);
}

int picture_begin(picture *p, heddle_ctx *ctx)
{
    p->c.ctx = ctx;
    p->record.tuned = app_is_tuned(ctx, p->body);
    p->c.record = &p->record;
    p->c.record_bytes = sizeof p->record;
    return memory(p);
}

int picture_build(app_case *c, heddle_ctx *ctx)
{
    picture *p = (picture *)c;
    if (picture_begin(p, ctx) || app_new_graph(c, c->app->table))
        return -1;
    /* A warp takes 16 rows at a time. */
    if (p->record.tuned && heddle_graph_set_team_size(c->graph, c->b[0] > 64 ? 256 : 128) != HEDDLE_OK)
        return app_heddle_error(c, "choosing the threads");
    for (uint64_t i = 0; i < app_n_tiles(&p->c, 0); i++)
        for (uint64_t j = 0; j < app_n_tiles(&p->c, 1); j++)
            if (add(p, i, j))
                return -1;
    return 0;
}

int picture_reset(app_case *c)
{
    const picture *p = (const picture *)c;
    return app_clear(c, p->record.table, table_bytes(p));
}

int picture_read(app_case *c)
{
    picture *p = (picture *)c;
    if (heddle_mem_read(c->ctx, p->result, p->record.table, table_bytes(p)) != HEDDLE_OK)
        return app_heddle_error(c, "reading the tables");
    return 0;
}

int picture_tiles(app_case *c)
{
    const picture *p = (const picture *)c;
    heddle_failure fail = {0};
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    for (uint64_t i = 0; i < app_n_tiles(&p->c, 0); i++)
        for (uint64_t j = 0; j < app_n_tiles(&p->c, 1); j++) {
            tile_rect t = app_tile(&p->c, i, j);
            c->app->table->bodies[0].run(&thread, &p->record, &t);
        }
    return 0;
}

/* ---- check and answer ---- */

typedef struct planes {
    picture *p;
    picture_row_fn next_row;
} planes;

static void fill_planes(void *self, uint64_t begin, uint64_t end)
{
    const planes *x = self;
    const uint64_t *n = x->p->c.n;
    for (uint64_t k = begin; k < end; k++)
        for (uint64_t r = 0; r < n[0]; r++) {
            uint32_t *row = x->p->want + (k * n[0] + r) * n[1];
            x->next_row(x->p, (uint32_t)k, r, r ? row - n[1] : NULL, row);
        }
}

int picture_reference(app_case *c, picture_row_fn next_row)
{
    picture *p = (picture *)c;
    planes x = {p, next_row};
    if (p->want)
        return 0;
    p->want = app_alloc(picture_cells(p), p->record.n_planes * sizeof(uint32_t), "the reference", c->error);
    if (!p->want)
        return -1;
    app_spread(p->record.n_planes, picture_cells(p), fill_planes, &x);
    return 0;
}

typedef struct comparison {
    const picture *p;
    uint64_t first; /* differing cell */
} comparison;

static void compare(void *self, uint64_t begin, uint64_t end)
{
    comparison *x = self;
    for (uint64_t i = begin; i < end; i++)
        if (x->p->result[i] != x->p->want[i]) {
            app_least(&x->first, i);
            return;
        }
}

int picture_check(app_case *c)
{
    const picture *p = (const picture *)c;
    uint64_t n = picture_cells(p), i;
    comparison x = {p, UINT64_MAX};
    app_spread(n * p->record.n_planes, 1, compare, &x);
    i = x.first;
    if (i == UINT64_MAX)
        return 0;
    snprintf(c->error, APP_ERROR, "%s: plane %llu, cell %llu,%llu is %u, the reference has %u", c->app->name,
             (unsigned long long)(i / n), (unsigned long long)(i % n / c->n[1]), (unsigned long long)(i % n % c->n[1]),
             p->result[i], p->want[i]);
    return -1;
}

uint64_t picture_sum(const picture *p)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < picture_cells(p) * p->record.n_planes; i++)
        sum += p->result[i];
    return sum;
}

void picture_sha256(const picture *p, char hex[65]) { app_sha256(p->result, table_bytes(p), hex); }
