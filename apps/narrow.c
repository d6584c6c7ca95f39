/* SPDX-License-Identifier: MIT */
/* narrow.c - implements narrow.h. */
#include "narrow.h"
#include "noise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- prepare and free ---- */

void narrow_set(narrow *n, const void *record, size_t record_bytes, void (*place)(narrow *n))
{
    n->c.record = record;
    n->c.record_bytes = record_bytes;
    n->place = place;
}

void narrow_adopt(narrow *n, uint32_t k, void *host, uint64_t n_bytes)
{
    n->in[k].host = host;
    n->in[k].n_bytes = n_bytes;
}

void *narrow_input(narrow *n, uint32_t k, uint64_t count, uint64_t size, const char *what, char *error)
{
    void *host = app_alloc(count, size, what, error);
    if (host)
        narrow_adopt(n, k, host, count * size);
    return host;
}

int narrow_noise(narrow *n, uint32_t k, uint64_t count, uint64_t seed, char *error)
{
    float *to = narrow_input(n, k, count, sizeof *to, "the inputs", error);
    for (uint64_t i = 0; to && i < count; i++)
        to[i] = (float)(2 * noise_unit(seed, i) - 1);
    return to ? 0 : -1;
}

int narrow_results(narrow *n, uint64_t count, uint64_t size, char *error)
{
    n->n_results = count;
    n->result_bytes = size;
    n->out.n_bytes = count * size;
    n->out.host = app_alloc(count, size, "the results", error);
    return n->out.host ? 0 : -1;
}

static void drop(const narrow *n, narrow_array *a)
{
    if (n->c.ctx)
        heddle_mem_free(n->c.ctx, a->at);
    free(a->host);
}

void narrow_free(app_case *c)
{
    narrow *n = (narrow *)c;
    if (!c)
        return;
    app_tasks_free(c);
    for (uint32_t k = 0; k < NARROW_INPUTS; k++)
        drop(n, &n->in[k]);
    drop(n, &n->out);
    free(n->want);
    free(n);
}

/* ---- memory ---- */

static int reset(app_case *c)
{
    const narrow *n = (const narrow *)c;
    return app_clear(c, n->out.at, n->out.n_bytes);
}

static int bring(narrow *n, narrow_array *a)
{
    if (!a->n_bytes)
        return 0;
    if (heddle_mem_new(n->c.ctx, a->n_bytes, &a->at) != HEDDLE_OK)
        return app_heddle_error(&n->c, "memory for the arrays");
    if (a != &n->out && heddle_mem_write(n->c.ctx, a->at, a->host, a->n_bytes) != HEDDLE_OK)
        return app_heddle_error(&n->c, "writing the inputs");
    return 0;
}

int narrow_begin(app_case *c, heddle_ctx *ctx)
{
    narrow *n = (narrow *)c;
    c->ctx = ctx;
    for (uint32_t k = 0; k < NARROW_INPUTS; k++)
        if (bring(n, &n->in[k]))
            return -1;
    if (bring(n, &n->out))
        return -1;
    n->place(n);
    return reset(c);
}

static int build_graph(app_case *c, heddle_ctx *ctx) { return narrow_begin(c, ctx) ? -1 : app_tasks_graph(c); }
static int build_pool(app_case *c, heddle_ctx *ctx) { return narrow_begin(c, ctx) ? -1 : app_tasks_pool(c); }

const app_scenario narrow_scenarios[] = {
    {&app_graph, build_graph, reset, app_tasks_loop}, {&app_pool, build_pool, reset, app_tasks_loop}, {.engine = NULL}};

int narrow_read(app_case *c)
{
    narrow *n = (narrow *)c;
    if (heddle_mem_read(c->ctx, n->out.host, n->out.at, n->out.n_bytes) != HEDDLE_OK)
        return app_heddle_error(c, "reading the results");
    return 0;
}

/* ---- reference and check ---- */

int narrow_reference(app_case *c, uint64_t want_bytes, uint64_t n_items, uint64_t item_cells, app_part_fn fill)
{
    narrow *n = (narrow *)c;
    if (n->want)
        return 0;
    n->want = app_alloc(n->n_results, want_bytes, "the reference", c->error);
    if (!n->want)
        return -1;
    memset(n->want, 0, n->n_results * want_bytes);
    app_spread(n_items, item_cells, fill, c);
    return 0;
}

/* Whole number i of an array. */
static int64_t number(const void *p, uint64_t i, uint64_t size)
{
    if (size == 1)
        return ((const uint8_t *)p)[i];
    return size == 4 ? (int64_t)((const uint32_t *)p)[i] : ((const int64_t *)p)[i];
}

int narrow_equal(app_case *c)
{
    const narrow *n = (const narrow *)c;
    const uint64_t size = n->result_bytes;
    uint64_t i = 0;
    if (!memcmp(n->out.host, n->want, n->out.n_bytes))
        return 0;
    while (number(n->out.host, i, size) == number(n->want, i, size))
        i++;
    snprintf(c->error, APP_ERROR, "%s: result %" PRIu64 " is %" PRId64 ", the reference has %" PRId64, c->app->name, i,
             number(n->out.host, i, size), number(n->want, i, size));
    return -1;
}

int narrow_near(app_case *c, narrow_allowed_fn allowed)
{
    const narrow *n = (const narrow *)c;
    const float *got = n->out.host;
    const double *want = n->want;
    for (uint64_t i = 0; i < n->n_results; i++)
        if (!(fabs((double)got[i] - want[i]) <= allowed(c, want[i]))) { /* a NaN is not near either */
            snprintf(c->error, APP_ERROR,
                     "%s: result %" PRIu64 " is %.9g, the reference has %.9g, and may differ by %.3g", c->app->name, i,
                     (double)got[i], want[i], allowed(c, want[i]));
            return -1;
        }
    return 0;
}

void narrow_answer_floats(app_case *c, const app_sink *s)
{
    const narrow *n = (const narrow *)c;
    const float *got = n->out.host;
    double sum = 0, least = got[0], largest = got[0];
    for (uint64_t i = 0; i < n->n_results; i++) {
        sum += (double)got[i];
        least = fmin(least, (double)got[i]);
        largest = fmax(largest, (double)got[i]);
    }
    s->f64(s->self, "sum", sum);
    s->f64(s->self, "least", least);
    s->f64(s->self, "largest", largest);
}
