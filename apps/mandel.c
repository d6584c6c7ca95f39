/* SPDX-License-Identifier: MIT */
/* mandel.c - the Mandelbrot set over -2 .. 1 and -1.5i .. 1.5i: for each cell the number of repetitions of z = z * z + c
 * until |z| > 2. Tiles are independent, and the slowest takes a thousand times as long as the quickest. (One of the
 * workloads of Pagoda: TOPC 6(4), Table 3.) As a loop, rows take very different times. */
#include "loop.h"
#include "mandel_loop_bodies.h"
#include "narrow.h"

#include <stddef.h>

#define MAX_SIDE (1ull << 24)
#define LOOP_ROWS 1u   /* of a tile of the loop, */
#define LOOP_COLS 256u /* and columns */

extern const app app_mandel;

typedef struct mandel_case {
    narrow n;
    mandel_record record;
    int has_blocks; /* their size was asked for */
} mandel_case;

static void cut(const narrow *n, void *record, tile_rect *t)
{
    (void)n;
    ((mandel_record *)record)->first = t->row;
    t->row = 0;
}

static const narrow_form form = {
    .record_bytes = sizeof(mandel_record), .out = offsetof(mandel_record, counts), .cut = cut};

static int load(app_case *c, const app_request *q, char *error)
{
    mandel_case *p = (mandel_case *)c;
    int64_t most;
    if (app_check_request(&app_mandel, q, 0, error) || app_opt_i64(&app_mandel, q, "most", 1, 1 << 30, &most, error) ||
        app_sizes(&app_mandel, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error) || app_tasks_cut(c, error))
        return -1;
    p->has_blocks = q->b[0] != 0;
    p->record = (mandel_record){.rows = c->n[0], .cols = c->n[1], .most = (uint32_t)most};
    narrow_set(&p->n, &p->record, &form);
    p->n.out.row_bytes = c->n[1] * sizeof *p->record.counts;
    return narrow_results(&p->n, c->n[0] * c->n[1], sizeof *p->record.counts, error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_mandel, sizeof(mandel_case), load, q, error);
}

/* Blocks of tasks would be large for tiles. */
static int build_loop(app_case *c, heddle_ctx *ctx)
{
    mandel_case *p = (mandel_case *)c;
    app_loop_form f = app_loop_of(c->n[0]);
    c->b[0] = p->has_blocks ? c->b[0] : app_smaller(LOOP_ROWS, c->n[0]);
    c->b[1] = p->has_blocks ? c->b[1] : app_smaller(LOOP_COLS, c->n[1]);
    app_loop_add_rows(&f, (app_rows){.host = p->n.out.host,
                                     .n_rows = c->n[0],
                                     .row_bytes = p->n.out.row_bytes,
                                     .mode = HEDDLE_MODE_OUT,
                                     .field = offsetof(mandel_record, counts)});
    f.desc.body = mandel_rows;
    f.desc.n_2 = c->n[1];
    f.desc.tile = c->b[0];
    f.desc.tile_2 = c->b[1];
    return app_loop_open(c, ctx, &f);
}

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

static void fill_rows(void *self, uint64_t begin, uint64_t end)
{
    mandel_case *p = self;
    const uint64_t h = p->record.rows, w = p->record.cols;
    uint32_t *want = p->n.want;
    for (uint64_t r = begin; r < end; r++)
        for (uint64_t k = 0; k < w; k++)
            want[r * w + k] = repetitions(-2 + ((double)k + 0.5) * 3 / (double)w,
                                          -1.5 + ((double)r + 0.5) * 3 / (double)h, p->record.most);
}

static int reference(app_case *c)
{
    const uint32_t most = ((const mandel_case *)c)->record.most;
    return narrow_reference(c, sizeof(uint32_t), c->n[0], c->n[1] * most / 4 + 1, fill_rows);
}

static void answer(app_case *c, const app_sink *s)
{
    const mandel_case *p = (const mandel_case *)c;
    const uint32_t *counts = p->n.out.host;
    uint64_t sum = 0, n_most = 0;
    for (uint64_t i = 0; i < p->n.n_results; i++) {
        sum += counts[i];
        n_most += counts[i] == p->record.most;
    }
    s->u64(s->self, "sum_iter_fp64_no_fma", sum);
    s->u64(s->self, "pixels_at_max", n_most);
}

static const app_scenario scenarios[] = {NARROW_SCENARIOS,
                                         {.engine = &app_loop, .build = build_loop, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build_loop, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {{"most", "1024", "repetitions of a cell"}, {NULL, NULL, NULL}};

const app app_mandel = {
    .name = "mandel",
    .summary = "the Mandelbrot set (fp64), by independent tasks of very different lengths",
    .formats = "none",
    .options = options,
    .table = &mandel,
    .loops = &mandel_loop,
    .apart = &mandel_apart,
    .set_apart = narrow_apart,
    .scenarios = scenarios,
    .n = {2048, 2048},
    .b = {64, 64},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = narrow_equal,
    .answer = answer,
    .free = narrow_free,
};
