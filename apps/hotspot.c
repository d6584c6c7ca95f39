/* SPDX-License-Identifier: MIT */
/* hotspot.c - temperatures of a chip in time: explicit steps, each from one array of temperatures into another. Then the two change roles.
 * (Rodinia's model and constants.) A step is a run of the loop: rows follow the first index, and one more on either side goes with them.
 *
 * The chip is 16 mm wide. From more than 1024 cells a side on it grows with them: of smaller cells a step would be unstable.
 *
 * Cells hold the difference from MIDDLE: near 0 fp32 has bits to spare for what a step adds, which is little.
 *
 * Input: temperatures in kelvin, then the cells' power in watts, one number a line each. Without: MIDDLE + 24 * noise, and noise up to the
 * power density that the step is made for. */
#include "field.h"
#include "loop.h"

#include "hotspot_bodies.h"
#include "input.h"
#include "noise.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDE (UINT64_C(1) << 24)
#define MOST_DENSITY 3e6  /* watts a square metre */
#define MOST_RISE 0.001   /* kelvin, of a step at that density */
#define HEAT 1.75e6       /* joules for a cubic metre and a kelvin */
#define CONDUCTIVITY 100. /* watts for a metre and a kelvin */
#define PART 0.5          /* of the chip's thickness that takes up heat */
#define THICKNESS 0.0005  /* metres */
#define WIDTH 0.016       /* of at most so many cells: */
#define MOST_CELLS 1024
#define AMBIENT 80
#define MIDDLE 320

extern const app app_hotspot;

typedef struct hotspot_case {
    field f;                 /* result is where the last step leaves it */
    float *power, *cells[2]; /* cells: of even and of odd steps */
    hotspot_record record;
} hotspot_case;

/* ---- prepare ---- */

static double side_of(uint64_t n_cells) { return WIDTH / (double)app_smaller(n_cells, MOST_CELLS); }

/* The thermal resistances between a cell and its neighbours, and its capacity, by its sides. */
static void set_record(hotspot_case *p, app_body body)
{
    const uint64_t *n = p->f.c.n;
    const double high = side_of(n[0]), wide = side_of(n[1]);
    const double step = MOST_RISE / (MOST_DENSITY / (PART * THICKNESS * HEAT));
    p->record = (hotspot_record){.from_stride = n[1] * sizeof(float),
                                 .power_stride = n[1] * sizeof(float),
                                 .to_stride = n[1] * sizeof(float),
                                 .rows = n[0],
                                 .cols = n[1],
                                 .warms = (float)(step / (PART * HEAT * THICKNESS * wide * high)),
                                 .flow_x = (float)(2 * CONDUCTIVITY * THICKNESS * high / wide),
                                 .flow_y = (float)(2 * CONDUCTIVITY * THICKNESS * wide / high),
                                 .flow_z = (float)(CONDUCTIVITY * high * wide / THICKNESS),
                                 .ambient = AMBIENT - MIDDLE,
                                 .tuned = body != APP_BODY_PORTABLE};
}

static void make_up(void *self, uint64_t begin, uint64_t end)
{
    hotspot_case *p = self;
    const uint64_t *n = p->f.c.n;
    const double most = MOST_DENSITY * side_of(n[0]) * side_of(n[1]);
    for (uint64_t i = begin * n[1]; i < end * n[1]; i++) {
        p->f.start[i] = (float)(24.0 * noise_unit(1, i));
        p->power[i] = (float)(most * noise_unit(2, i));
    }
}

static void subtract(void *self, uint64_t begin, uint64_t end)
{
    hotspot_case *p = self;
    for (uint64_t i = begin * p->f.c.n[1]; i < end * p->f.c.n[1]; i++)
        p->f.start[i] -= MIDDLE;
}

static int load_numbers(hotspot_case *p, const app_request *q, char *error)
{
    uint64_t n[2] = {q->n[0], q->n[1]}, n_power[2];
    if (input_numbers(q->inputs[0], &n[0], &n[1], &p->f.start, error))
        return -1;
    if (q->n_inputs != 2) {
        snprintf(error, APP_ERROR, "hotspot takes two input files, temperatures and power, or none");
        return -1;
    }
    memcpy(n_power, n, sizeof n);
    if (input_numbers(q->inputs[1], &n_power[0], &n_power[1], &p->power, error) ||
        app_sizes(&app_hotspot, q, n, MOST_SIDE, 1, p->f.c.n, p->f.c.b, error))
        return -1;
    app_spread(n[0], n[1], subtract, p);
    return 0;
}

static int make_numbers(hotspot_case *p, const app_request *q, char *error)
{
    const uint64_t *n = p->f.c.n;
    if (app_sizes(&app_hotspot, q, (const uint64_t[2]){0, 0}, MOST_SIDE, 1, p->f.c.n, p->f.c.b, error))
        return -1;
    p->f.start = app_alloc(n[0] * n[1], sizeof(float), "the temperatures", error);
    p->power = p->f.start ? app_alloc(n[0] * n[1], sizeof(float), "the power", error) : NULL;
    if (!p->power)
        return -1;
    app_spread(n[0], n[1], make_up, p);
    return 0;
}

static int load(app_case *c, const app_request *q, char *error)
{
    hotspot_case *p = (hotspot_case *)c;
    app_body body;
    if (app_check_request(&app_hotspot, q, 2, error) ||
        app_opt_i64(&app_hotspot, q, "steps", 1, 1000000, &p->f.sweeps, error) ||
        app_opt_body(&app_hotspot, q, &body, error) ||
        (q->n_inputs ? load_numbers(p, q, error) : make_numbers(p, q, error)))
        return -1;
    for (int i = 0; i < 2; i++) {
        p->cells[i] = app_alloc(c->n[0] * c->n[1], sizeof(float), "the temperatures", error);
        if (!p->cells[i])
            return -1;
    }
    p->f.middle = MIDDLE;
    set_record(p, body);
    return 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_hotspot, sizeof(hotspot_case), load, q, error);
}

static void free_case(app_case *c)
{
    hotspot_case *p = (hotspot_case *)c;
    if (!c)
        return;
    app_loop_close(c);
    free(p->power);
    free(p->cells[0]);
    free(p->cells[1]);
    p->f.result = NULL; /* it was one of these */
    field_free(&p->f);
}

/* ---- the loop ---- */

static void copy_rows(void *self, uint64_t begin, uint64_t end)
{
    hotspot_case *p = self;
    const uint64_t cols = p->f.c.n[1];
    memcpy(p->cells[0] + begin * cols, p->f.start + begin * cols, (end - begin) * cols * sizeof(float));
}

static void begin(hotspot_case *p) { app_spread(p->f.c.n[0], p->f.c.n[1], copy_rows, p); }

static app_rows rows_of(const hotspot_case *p, float *host, heddle_mode mode, size_t field)
{
    return (app_rows){
        .host = host, .n_rows = p->f.c.n[0], .row_bytes = p->f.c.n[1] * sizeof(float), .mode = mode, .field = field};
}

static int build(app_case *c, heddle_ctx *ctx)
{
    hotspot_case *p = (hotspot_case *)c;
    app_loop_form f = app_loop_of(c->n[0]);
    app_rows from = rows_of(p, p->cells[0], HEDDLE_MODE_IN, offsetof(hotspot_record, from));
    from.before = from.after = 1;
    begin(p);
    app_loop_add_rows(&f, from);
    app_loop_add_rows(&f, rows_of(p, p->cells[1], HEDDLE_MODE_OUT, offsetof(hotspot_record, to)));
    app_loop_add_rows(&f, rows_of(p, p->power, HEDDLE_MODE_IN, offsetof(hotspot_record, power)));
    f.swaps[1] = 1;
    f.n_runs = (uint64_t)p->f.sweeps;
    f.desc.body = hotspot_step;
    f.desc.n_2 = c->n[1];
    f.desc.tile = c->b[0];
    f.desc.tile_2 = c->b[1];
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return app_loop_open(c, ctx, &f);
}

static int reset(app_case *c)
{
    begin((hotspot_case *)c);
    if (heddle_array_wrote(c->looping->arrays[0], 0, c->n[0]) != HEDDLE_OK)
        return app_failed(c);
    return app_loop_reset(c);
}

static int read_back(app_case *c)
{
    hotspot_case *p = (hotspot_case *)c;
    p->f.result = p->cells[p->f.sweeps % 2];
    return app_loop_fetch(c);
}

/* ---- reference ---- */

typedef struct plain_step {
    const hotspot_case *p;
    const float *from;
    float *to;
} plain_step;

static float stepped(const plain_step *s, uint64_t i, uint64_t j)
{
    const hotspot_record *r = &s->p->record;
    const float *now = s->from + i * r->cols + j, t = *now;
    const float above = i > 0 ? *(now - r->cols) : t, below = i + 1 < r->rows ? now[r->cols] : t;
    const float left = j > 0 ? *(now - 1) : t, right = j + 1 < r->cols ? now[1] : t;
    return t + r->warms * (s->p->power[i * r->cols + j] + (above + below - 2 * t) * r->flow_y +
                           (left + right - 2 * t) * r->flow_x + (r->ambient - t) * r->flow_z);
}

static void step_rows(void *self, uint64_t begin, uint64_t end)
{
    const plain_step *s = self;
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = 0; j < s->p->record.cols; j++)
            s->to[i * s->p->record.cols + j] = stepped(s, i, j);
}

static int reference(app_case *c)
{
    hotspot_case *p = (hotspot_case *)c;
    float *next;
    if (p->f.want)
        return 0;
    next = app_alloc(c->n[0] * c->n[1], sizeof(float), "the reference", c->error);
    if (!next || field_want(&p->f)) {
        free(next);
        return -1;
    }
    for (int64_t k = 0; k < p->f.sweeps; k++) {
        plain_step s = {p, p->f.want, next};
        app_spread(c->n[0], c->n[1], step_rows, &s);
        next = p->f.want;
        p->f.want = s.to;
    }
    free(next);
    return 0;
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = reset},
                                         {.engine = &app_jobs, .build = build, .reset = reset},
                                         {.engine = NULL}};
static const app_option options[] = {
    {"steps", "60", "in time, each a run of the loop"}, APP_OPTION_BODY, {NULL, NULL, NULL}};

const app app_hotspot = {
    .name = "hotspot",
    .summary = "temperatures of a chip in time, by explicit steps (fp32)",
    .formats = "one number a line, row-major: temperatures, then power; a square field unless -n is given",
    .options = options,
    .table = &hotspot,
    .loops = &hotspot,
    .scenarios = scenarios,
    .n = {512, 512},
    .b = {16, 1024},
    .prepare = prepare,
    .read = read_back,
    .reference = reference,
    .check = field_check,
    .answer = field_answer,
    .free = free_case,
};
