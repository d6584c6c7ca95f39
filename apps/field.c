/* SPDX-License-Identifier: MIT */
/* field.c - a field of temperatures: input, tiles and halos, check, answer. See field.h. */
#include "field.h"
#include "input.h"
#include "noise.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE (1ull << 30)

static uint64_t n_cells(const field *f) { return f->c.n[0] * f->c.n[1]; }

/* Parts of loops over the cells. */
static void make_up(void *self, uint64_t begin, uint64_t end)
{
    field *f = self;
    for (uint64_t i = begin; i < end; i++)
        f->start[i] = (float)(320.0 + 24.0 * noise_unit(1, i));
}

static void subtract(void *self, uint64_t begin, uint64_t end)
{
    field *f = self;
    float middle = (float)f->middle;
    for (uint64_t i = begin; i < end; i++)
        f->start[i] -= middle;
}

typedef struct range {
    const field *f;
    float min, max;
    pthread_mutex_t mutex;
} range;

static void extend(void *self, uint64_t begin, uint64_t end)
{
    range *x = self;
    float min = x->f->start[begin], max = min;
    for (uint64_t i = begin; i < end; i++) {
        min = x->f->start[i] < min ? x->f->start[i] : min;
        max = x->f->start[i] > max ? x->f->start[i] : max;
    }
    pthread_mutex_lock(&x->mutex);
    x->min = min < x->min ? min : x->min;
    x->max = max > x->max ? max : x->max;
    pthread_mutex_unlock(&x->mutex);
}

/* Subtracts the middle of the range from every cell. */
static void centre(field *f)
{
    range x = {f, f->start[0], f->start[0], PTHREAD_MUTEX_INITIALIZER};
    app_spread(n_cells(f), 1, extend, &x);
    f->middle = (double)(0.5f * x.min + 0.5f * x.max);
    app_spread(n_cells(f), 1, subtract, f);
}

/* Loads the file's field, or makes one up of the requested size. */
static int load(field *f, const app *a, const app_request *q, uint64_t factor, char *error)
{
    uint64_t n_input[2] = {q->n[0], q->n[1]};
    if (q->n_inputs && input_numbers(q->inputs[0], &n_input[0], &n_input[1], &f->start, error))
        return -1;
    if (app_sizes(a, q, q->n_inputs ? n_input : (const uint64_t[2]){0, 0}, MAX_SIDE, factor, f->c.n, f->c.b, error))
        return -1;
    if (q->n_inputs)
        return 0;
    f->start = app_alloc(n_cells(f), sizeof(float), "the field", error);
    if (!f->start)
        return -1;
    app_spread(n_cells(f), 1, make_up, f);
    return 0;
}

app_case *field_prepare(const app *a, const app_request *q, uint64_t n_bodies, size_t case_bytes, char *error)
{
    int64_t sweeps;
    if (app_check_request(a, q, 1, error) || app_opt_i64(a, q, "sweeps", 1, 1000000, &sweeps, error))
        return NULL;
    field *f = app_alloc(1, case_bytes, "the case", error);
    if (!f)
        return NULL;
    memset(f, 0, case_bytes);
    app_begin(&f->c, a);
    f->sweeps = sweeps;
    if (!load(f, a, q, n_bodies * (uint64_t)sweeps, error)) {
        f->result = app_alloc(n_cells(f), sizeof(float), "the result", error);
        if (f->result) {
            centre(f);
            return &f->c;
        }
    }
    field_free(f);
    return NULL;
}

void field_free(field *f)
{
    heddle_graph_free(f->c.graph);
    free(f->start);
    free(f->result);
    free(f->want);
    free(f);
}

/* ---- memory ---- */

static size_t n_bytes(const field *f) { return (size_t)n_cells(f) * sizeof(float); }

int field_mem_new(field *f, float **out)
{
    void *p;
    if (heddle_mem_new(f->c.ctx, n_bytes(f), &p) != HEDDLE_OK)
        return app_heddle_error(&f->c, "memory for the field");
    *out = p;
    return 0;
}

int field_put(field *f, float *to)
{
    if (heddle_mem_write(f->c.ctx, to, f->start, n_bytes(f)) != HEDDLE_OK)
        return app_heddle_error(&f->c, "writing the field");
    return 0;
}

int field_get(field *f, const float *from)
{
    if (heddle_mem_read(f->c.ctx, f->result, from, n_bytes(f)) != HEDDLE_OK)
        return app_heddle_error(&f->c, "reading the field");
    return 0;
}

/* ---- tiles ---- */

uint64_t field_tiles(const field *f, int axis) { return (f->c.n[axis] + f->c.b[axis] - 1) / f->c.b[axis]; }

/* Tile k of an axis without the border: its begin and its length. */
static uint64_t inner(const field *f, int axis, uint64_t k, uint64_t *begin)
{
    uint64_t n = f->c.n[axis], b = f->c.b[axis];
    uint64_t end = (k + 1) * b < n - 1 ? (k + 1) * b : n - 1;
    *begin = k ? k * b : 1;
    return end > *begin ? end - *begin : 0;
}

tile_rect field_tile(const field *f, uint64_t i, uint64_t j)
{
    tile_rect t;
    t.rows = (uint32_t)inner(f, 0, i, &t.row);
    t.cols = (uint32_t)inner(f, 1, j, &t.col);
    if (!t.rows || !t.cols) {
        t.row = i * f->c.b[0];
        t.col = j * f->c.b[1];
        t.rows = t.cols = 0;
    }
    return t;
}

heddle_range field_cells(const field *f, const float *x, const tile_rect *t, heddle_mode mode)
{
    const float *at = x + tile_row(t, f->c.n[1], 0);
    if (!t->rows)
        return HEDDLE_IN(at, sizeof(float));
    return heddle_range_of(at, t->cols * sizeof(float), t->rows, f->c.n[1] * sizeof(float), mode);
}

static size_t put_read(const field *f, const float *x, uint64_t i, uint64_t j, heddle_range *out)
{
    tile_rect t = field_tile(f, i, j);
    if (!t.rows)
        return 0;
    *out = field_cells(f, x, &t, HEDDLE_MODE_IN);
    return 1;
}

size_t field_beside(const field *f, const float *x, uint64_t i, uint64_t j, heddle_range out[4])
{
    size_t n = 0;
    if (!field_tile(f, i, j).rows)
        return 0;
    if (i > 0)
        n += put_read(f, x, i - 1, j, &out[n]);
    if (i + 1 < field_tiles(f, 0))
        n += put_read(f, x, i + 1, j, &out[n]);
    if (j > 0)
        n += put_read(f, x, i, j - 1, &out[n]);
    if (j + 1 < field_tiles(f, 1))
        n += put_read(f, x, i, j + 1, &out[n]);
    return n;
}

/* ---- check and answer ---- */

static double kelvin(const field *f, const float *x, uint64_t i) { return f->middle + (double)x[i]; }

static void copy_start(void *self, uint64_t begin, uint64_t end)
{
    field *f = self;
    memcpy(f->want + begin, f->start + begin, (size_t)(end - begin) * sizeof(float));
}

int field_want(field *f)
{
    f->want = app_alloc(n_cells(f), sizeof(float), "the reference", f->c.error);
    if (!f->want)
        return -1;
    app_spread(n_cells(f), 1, copy_start, f);
    return 0;
}

typedef struct comparison {
    const field *f;
    uint64_t first; /* cell that differs */
} comparison;

static void compare(void *self, uint64_t begin, uint64_t end)
{
    comparison *x = self;
    for (uint64_t i = begin; i < end; i++)
        if (memcmp(&x->f->result[i], &x->f->want[i], sizeof(float)) != 0) {
            app_least(&x->first, i);
            return;
        }
}

int field_check(app_case *c)
{
    const field *f = (const field *)c;
    comparison x = {f, UINT64_MAX};
    app_spread(n_cells(f), 1, compare, &x);
    if (x.first == UINT64_MAX)
        return 0;
    snprintf(c->error, APP_ERROR, "%s: cell %llu,%llu is %.9g, the reference has %.9g", c->app->name,
             (unsigned long long)(x.first / c->n[1]), (unsigned long long)(x.first % c->n[1]),
             kelvin(f, f->result, x.first), kelvin(f, f->want, x.first));
    return -1;
}

/* Four cells by name; on small fields some are the same, and a key appears once. */
static void answer_points(const field *f, const app_sink *s)
{
    const uint64_t *n = f->c.n;
    const uint64_t pts[4][2] = {{0, 0}, {n[0] / 3, n[1] / 4}, {n[0] / 2, n[1] - 1}, {n[0] - 1, n[1] - 1}};
    for (int p = 0; p < 4; p++) {
        int known = 0;
        char key[64];
        for (int o = 0; o < p; o++)
            known |= pts[o][0] == pts[p][0] && pts[o][1] == pts[p][1];
        if (known)
            continue;
        snprintf(key, sizeof key, "pts.%llu,%llu", (unsigned long long)pts[p][0], (unsigned long long)pts[p][1]);
        s->f64(s->self, key, kelvin(f, f->result, pts[p][0] * n[1] + pts[p][1]));
    }
}

void field_answer(app_case *c, const app_sink *s)
{
    const field *f = (const field *)c;
    double sum = 0, squares = 0, min = kelvin(f, f->result, 0), max = min;
    for (uint64_t i = 0; i < n_cells(f); i++) {
        double x = kelvin(f, f->result, i), d = x - 320.0;
        sum += x;
        squares += d * d;
        min = x < min ? x : min;
        max = x > max ? x : max;
    }
    s->f64(s->self, "sum", sum);
    s->f64(s->self, "sumsq_minus320", squares);
    s->f64(s->self, "min", min);
    s->f64(s->self, "max", max);
    answer_points(f, s);
}
