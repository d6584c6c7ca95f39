/* SPDX-License-Identifier: MIT */
/* narrow.c - implements narrow.h. */
#include "narrow.h"
#include "loop.h"
#include "noise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- prepare and free ---- */

void narrow_set(narrow *n, void *record, const narrow_form *form)
{
    n->c.record = n->record = record;
    n->c.record_bytes = form->record_bytes;
    n->form = form;
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

int narrow_shared(narrow *n, const app_request *q, const heddle_table *plain, char *error)
{
    const char *text = app_opt_text(n->c.app, q, "shared");
    const int is_no = !strcmp(text, "no");
    if (!is_no && !strcmp(text, "yes"))
        return 0;
    if (!is_no || app_is_apart(&n->c)) {
        snprintf(error, APP_ERROR,
                 is_no ? "option shared: %s goes with no --copies, --irregular or --blocks"
                       : "option shared: '%.64s' is not yes or no",
                 text);
        return -1;
    }
    n->plain = *n->c.app;
    n->plain.table = plain;
    n->c.app = &n->plain;
    return 0;
}

/* Whether it is in host memory of the pool, and goes with tasks. */
static int is_copied(const narrow *n, const narrow_array *a)
{
    return n->c.spawning.copies && (a->row_bytes || a->rows_at);
}

static void drop(const narrow *n, narrow_array *a)
{
    if (n->c.ctx && !is_copied(n, a))
        heddle_mem_free(n->c.ctx, a->at);
    free(a->host);
}

void narrow_free(app_case *c)
{
    narrow *n = (narrow *)c;
    if (!c)
        return;
    app_tasks_free(c);
    app_loop_close(c);
    for (uint32_t k = 0; k < NARROW_INPUTS; k++)
        drop(n, &n->in[k]);
    drop(n, &n->out);
    free(n->want);
    free(n);
}

/* ---- memory ---- */

int narrow_reset(app_case *c)
{
    const narrow *n = (const narrow *)c;
    if (!is_copied(n, &n->out))
        return app_clear(c, n->out.at, n->out.n_bytes);
    memset(n->out.at, 0, n->out.n_bytes);
    return 0;
}

static int pin(narrow *n, narrow_array *a, heddle_pool *pool)
{
    if (heddle_pool_mem_new(pool, a->n_bytes, &a->at) != HEDDLE_OK)
        return app_failed(&n->c);
    if (a != &n->out)
        memcpy(a->at, a->host, a->n_bytes);
    return 0;
}

static int carry(narrow *n, narrow_array *a)
{
    if (heddle_mem_new(n->c.ctx, a->n_bytes, &a->at) != HEDDLE_OK)
        return app_heddle_error(&n->c, "memory for the arrays");
    if (a != &n->out && heddle_mem_write(n->c.ctx, a->at, a->host, a->n_bytes) != HEDDLE_OK)
        return app_heddle_error(&n->c, "writing the inputs");
    return 0;
}

static int bring(narrow *n, narrow_array *a, heddle_pool *pool, size_t slot)
{
    if (!a->n_bytes)
        return 0;
    if (is_copied(n, a) ? pin(n, a, pool) : carry(n, a))
        return -1;
    memcpy((char *)n->record + slot, &a->at, sizeof a->at);
    return 0;
}

static int begin(narrow *n, heddle_ctx *ctx, heddle_pool *pool)
{
    n->c.ctx = ctx;
    for (uint32_t k = 0; k < NARROW_INPUTS; k++)
        if (bring(n, &n->in[k], pool, n->form->in[k]))
            return -1;
    return bring(n, &n->out, pool, n->form->out) ? -1 : narrow_reset(&n->c);
}

int narrow_begin(app_case *c, heddle_ctx *ctx) { return begin((narrow *)c, ctx, NULL); }

int narrow_build_graph(app_case *c, heddle_ctx *ctx) { return narrow_begin(c, ctx) ? -1 : app_tasks_graph(c); }

int narrow_build_pool(app_case *c, heddle_ctx *ctx)
{
    if (app_is_apart(c))
        return app_pool_apart(c, ctx);
    return narrow_begin(c, ctx) ? -1 : app_tasks_pool(c);
}

/* ---- tasks apart ---- */

/* Bytes before row `row` of an array. */
static uint64_t before(const narrow *n, const narrow_array *a, uint64_t row)
{
    if (row >= n->c.n[0])
        return a->n_bytes;
    return a->rows_at ? a->rows_at[row] : row * a->row_bytes;
}

/* The tile's rows of an array, to which the record at `args` gets a pointer. */
static heddle_pool_copy copy_of(const narrow *n, const narrow_array *a, const tile_rect *t, size_t slot, char *args)
{
    const uint64_t first = before(n, a, t->row > a->reach ? t->row - a->reach : 0);
    void *host = (char *)a->at + first;
    memcpy(args + slot, &host, sizeof host);
    return (heddle_pool_copy){.host = host,
                              .n_bytes = before(n, a, t->row + t->rows + a->reach) - first,
                              .mode = a == &n->out ? HEDDLE_MODE_OUT : HEDDLE_MODE_IN,
                              .at = (uint32_t)slot};
}

static size_t copies_of(const narrow *n, const tile_rect *t, char *args, heddle_pool_copy *to)
{
    size_t count = 0;
    for (uint32_t k = 0; k < NARROW_INPUTS; k++)
        if (is_copied(n, &n->in[k]))
            to[count++] = copy_of(n, &n->in[k], t, n->form->in[k], args);
    to[count++] = copy_of(n, &n->out, t, n->form->out, args);
    return count;
}

/* Task i: its record, its tile, what goes with it. */
static void describe(narrow *n, uint64_t i)
{
    app_tasks *all = &n->c.tasks;
    heddle_pool_task *task = &all->each[i];
    tile_rect t = ((const tile_rect *)all->args)[i];
    char *args = (char *)all->records + i * (n->form->record_bytes + sizeof t);
    *task = (heddle_pool_task)HEDDLE_POOL_TASK_INIT;
    task->args = args;
    task->arg_bytes = n->form->record_bytes + sizeof t;
    task->n_blocks = n->c.spawning.n_blocks;
    memcpy(args, n->record, n->form->record_bytes);
    if (n->c.spawning.copies) {
        task->copies = all->copies + i * NARROW_COPIES;
        task->n_copies = copies_of(n, &t, args, all->copies + i * NARROW_COPIES);
        if (n->form->cut)
            n->form->cut(n, args, &t);
        else
            t.row = 0;
    }
    memcpy(args + n->form->record_bytes, &t, sizeof t);
}

int narrow_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool)
{
    narrow *n = (narrow *)c;
    app_tasks *t = &c->tasks;
    if (begin(n, ctx, pool))
        return -1;
    t->each = app_alloc(t->n, sizeof *t->each, "the tasks", c->error);
    t->records = t->each ? app_alloc(t->n, n->form->record_bytes + sizeof(tile_rect), "the tasks", c->error) : NULL;
    t->copies = t->records ? app_alloc(t->n * NARROW_COPIES, sizeof *t->copies, "the tasks", c->error) : NULL;
    if (!t->copies)
        return -1;
    for (uint64_t i = 0; i < t->n; i++)
        describe(n, i);
    return 0;
}

/* ---- scenarios and results ---- */

const app_scenario narrow_scenarios[] = {NARROW_SCENARIOS, {.engine = NULL}};

int narrow_read(app_case *c)
{
    narrow *n = (narrow *)c;
    if (c->looping)
        return app_loop_fetch(c);
    if (is_copied(n, &n->out)) {
        memcpy(n->out.host, n->out.at, n->out.n_bytes);
        return 0;
    }
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
