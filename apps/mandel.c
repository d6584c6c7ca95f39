/* SPDX-License-Identifier: MIT */
/* mandel.c - the Mandelbrot set over -2 .. 1 and -1.5i .. 1.5i: for each cell the number of repetitions of z = z * z + c
 * until |z| > 2. Tiles are independent, and the slowest takes a thousand times as long as the quickest. (One of the
 * workloads of Pagoda: TOPC 6(4), Table 3.) */
#include "mandel_bodies.h"
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SIDE (1ull << 24)

extern const app app_mandel;

typedef struct mandel_case {
    app_case c;
    mandel_record record;
    uint32_t *result, *want; /* host; want NULL until there is a reference */
} mandel_case;

static uint64_t n_cells(const app_case *c) { return c->n[0] * c->n[1]; }

/* ---- prepare and free ---- */

static int load(app_case *c, const app_request *q, char *error)
{
    mandel_case *p = (mandel_case *)c;
    int64_t most;
    if (app_check_request(&app_mandel, q, 0, error) || app_opt_i64(&app_mandel, q, "most", 1, 1 << 30, &most, error) ||
        app_sizes(&app_mandel, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error) || app_tasks_cut(c, error))
        return -1;
    p->record = (mandel_record){.rows = c->n[0], .cols = c->n[1], .most = (uint32_t)most};
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    p->result = app_alloc(n_cells(c), sizeof *p->result, "the result", error);
    return p->result ? 0 : -1;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_mandel, sizeof(mandel_case), load, q, error);
}

static void free_case(app_case *c)
{
    mandel_case *p = (mandel_case *)c;
    if (!c)
        return;
    app_tasks_free(c);
    if (c->ctx)
        heddle_mem_free(c->ctx, p->record.counts);
    free(p->result);
    free(p->want);
    free(p);
}

/* ---- memory ---- */

/* Clears the counts, so that no old result can pass. */
static int reset(app_case *c)
{
    mandel_case *p = (mandel_case *)c;
    uint32_t *zeros = calloc(n_cells(c), sizeof *zeros);
    heddle_status s;
    if (!zeros) {
        snprintf(c->error, APP_ERROR, "out of memory for clearing the counts");
        return -1;
    }
    s = heddle_mem_write(c->ctx, p->record.counts, zeros, n_cells(c) * sizeof *zeros);
    free(zeros);
    return s == HEDDLE_OK ? 0 : app_heddle_error(c, "clearing the counts");
}

static int begin(app_case *c, heddle_ctx *ctx)
{
    void *counts;
    c->ctx = ctx;
    if (heddle_mem_new(ctx, n_cells(c) * sizeof(uint32_t), &counts) != HEDDLE_OK)
        return app_heddle_error(c, "memory for the counts");
    ((mandel_case *)c)->record.counts = counts;
    return reset(c);
}

static int build_graph(app_case *c, heddle_ctx *ctx) { return begin(c, ctx) ? -1 : app_tasks_graph(c); }
static int build_pool(app_case *c, heddle_ctx *ctx) { return begin(c, ctx) ? -1 : app_tasks_pool(c); }

static int read(app_case *c)
{
    mandel_case *p = (mandel_case *)c;
    if (heddle_mem_read(c->ctx, p->result, p->record.counts, n_cells(c) * sizeof *p->result) != HEDDLE_OK)
        return app_heddle_error(c, "reading the counts");
    return 0;
}

/* ---- reference and check ---- */

/* Re(z) and Im(z) squared are tested before each step. */
static uint32_t repetitions(double cr, double ci, uint32_t most)
{
    double zr = 0, zi = 0;
    uint32_t n = 0;
    while (n < most && zr * zr + zi * zi <= 4) {
        const double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
    }
    return n;
}

static void fill_rows(void *self, uint64_t begin_row, uint64_t end_row)
{
    mandel_case *p = self;
    const uint64_t h = p->c.n[0], w = p->c.n[1];
    for (uint64_t r = begin_row; r < end_row; r++)
        for (uint64_t k = 0; k < w; k++)
            p->want[r * w + k] = repetitions(-2 + ((double)k + 0.5) * 3 / (double)w,
                                             -1.5 + ((double)r + 0.5) * 3 / (double)h, p->record.most);
}

static int reference(app_case *c)
{
    mandel_case *p = (mandel_case *)c;
    if (p->want)
        return 0;
    p->want = app_alloc(n_cells(c), sizeof *p->want, "the reference", c->error);
    if (!p->want)
        return -1;
    app_spread(c->n[0], c->n[1] * p->record.most / 4 + 1, fill_rows, p);
    return 0;
}

static int check(app_case *c)
{
    const mandel_case *p = (const mandel_case *)c;
    uint64_t i = 0;
    while (i < n_cells(c) && p->result[i] == p->want[i])
        i++;
    if (i == n_cells(c))
        return 0;
    snprintf(c->error, APP_ERROR, "mandel: cell %" PRIu64 ",%" PRIu64 " is %" PRIu32 ", the reference has %" PRIu32,
             i / c->n[1], i % c->n[1], p->result[i], p->want[i]);
    return -1;
}

static void answer(app_case *c, const app_sink *s)
{
    const mandel_case *p = (const mandel_case *)c;
    uint64_t sum = 0, n_most = 0;
    for (uint64_t i = 0; i < n_cells(c); i++) {
        sum += p->result[i];
        n_most += p->result[i] == p->record.most;
    }
    s->u64(s->self, "sum_iter_fp64_no_fma", sum);
    s->u64(s->self, "pixels_at_max", n_most);
}

static const app_option options[] = {{"most", "1024", "repetitions of a cell"}, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {
    {&app_graph, build_graph, reset, app_tasks_loop}, {&app_pool, build_pool, reset, app_tasks_loop}, {.engine = NULL}};

const app app_mandel = {
    .name = "mandel",
    .summary = "the Mandelbrot set (fp64), by independent tasks of very different lengths",
    .formats = "none",
    .options = options,
    .table = &mandel,
    .scenarios = scenarios,
    .n = {2048, 2048},
    .b = {64, 64},
    .prepare = prepare,
    .read = read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
