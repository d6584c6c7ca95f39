/* SPDX-License-Identifier: MIT */
/* wrong_app.c - the list of apps of a test-only command: one app, which computes something else than its reference on
 * request (--opt wrong=1), so that a failed check can be seen. Each tile increments its cells; the wrong one leaves out
 * the last tile. */
#include "heddle/baselines.h"

#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64, TILE = 16 };

typedef struct count_params {
    uint32_t *cells;
} count_params;
typedef struct count_args {
    uint64_t at, n;
} count_args;
#define COUNT_BODIES(X) X(count_tile, 0)
HEDDLE_ENUM(count, COUNT_BODIES)

HEDDLE_BODY(count_tile, count_params, params, count_args, t)
{
    HEDDLE_EACH (i, t->n)
        params->cells[t->at + (uint64_t)i]++;
}
HEDDLE_TABLE(count, count_params, COUNT_BODIES)

typedef struct count_case {
    app_case c;
    count_params record;
    uint32_t cells[CELLS]; /* as read back */
    int is_wrong;
} count_case;

static app_case *prepare(const app_request *q, char *error)
{
    count_case *k = calloc(1, sizeof *k);
    if (!k) {
        snprintf(error, APP_ERROR, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < q->n_opts; i++)
        k->is_wrong |= !strcmp(q->opts[i].key, "wrong") && !strcmp(q->opts[i].value, "1");
    k->c.n[0] = k->c.b[0] = 1;
    k->c.n[1] = CELLS;
    k->c.b[1] = TILE;
    return &k->c;
}

static int failed(app_case *c)
{
    snprintf(c->error, APP_ERROR, "%s", heddle_error_text(c->ctx));
    return -1;
}

static int reset(app_case *c)
{
    count_case *k = (count_case *)c;
    static const uint32_t zero[CELLS];
    return heddle_mem_write(c->ctx, k->record.cells, zero, sizeof zero) ? failed(c) : 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    count_case *k = (count_case *)c;
    extern const app count_entry;
    void *cells;
    c->app = &count_entry;
    c->scenario = count_entry.scenarios;
    c->ctx = ctx;
    c->record = &k->record;
    c->record_bytes = sizeof k->record;
    if (heddle_mem_new(ctx, sizeof k->cells, &cells) || heddle_graph_new(ctx, &count, &c->graph))
        return failed(c);
    k->record.cells = cells;
    for (uint64_t at = 0; at < CELLS; at += TILE) {
        count_args t = {at, k->is_wrong && at + TILE == CELLS ? 0 : TILE};
        if (heddle_graph_add(c->graph, count_tile, &t, sizeof t,
                             HEDDLE_RANGES(HEDDLE_INOUT(k->record.cells + at, TILE * sizeof(uint32_t))), NULL))
            return failed(c);
    }
    return reset(c);
}

static int read_back(app_case *c)
{
    count_case *k = (count_case *)c;
    return heddle_mem_read(c->ctx, k->cells, k->record.cells, sizeof k->cells) ? failed(c) : 0;
}

static int reference(app_case *c)
{
    (void)c; /* every cell is 1 */
    return 0;
}

static int check(app_case *c)
{
    const count_case *k = (const count_case *)c;
    for (unsigned i = 0; i < CELLS; i++)
        if (k->cells[i] != 1) {
            snprintf(c->error, APP_ERROR, "cell %u is %u instead of 1", i, k->cells[i]);
            return -1;
        }
    return 0;
}

/* Plain loops ignore option wrong. */
static int tiles(app_case *c)
{
    count_case *k = (count_case *)c;
    for (unsigned i = 0; i < CELLS; i++)
        k->record.cells[i]++;
    return 0;
}

static void answer(app_case *c, const app_sink *s)
{
    const count_case *k = (const count_case *)c;
    uint64_t sum = 0;
    for (unsigned i = 0; i < CELLS; i++)
        sum += k->cells[i];
    s->u64(s->self, "sum", sum);
    s->f64(s->self, "nan", 0.0 / (double)(sum - sum));
    s->u64(s->self, "most", UINT64_MAX);
    s->text(s->self, "text", "a \"quoted\"\tback\\slash \xff");
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    heddle_graph_free(c->graph);
    if (c->ctx)
        heddle_mem_free(c->ctx, ((count_case *)c)->record.cells);
    free(c);
}

static const app_option options[] = {{"wrong", "0", "1 = forget the last tile"}, {NULL, NULL, NULL}};
static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app count_entry = {.name = "count",
                         .summary = "counts every cell once",
                         .formats = "none",
                         .options = options,
                         .table = &count,
                         .scenarios = scenarios,
                         .n = {1, CELLS},
                         .b = {1, TILE},
                         .prepare = prepare,
                         .read = read_back,
                         .reference = reference,
                         .check = check,
                         .answer = answer,
                         .free = free_case};
const app *const app_list[] = {&count_entry, NULL};
const app_scenario *app_scenario_of(const app *a, const char *engine)
{
    return !engine || !strcmp(engine, app_graph.name) ? a->scenarios : NULL;
}
const app *app_find(const char *name) { return strcmp(name, count_entry.name) ? NULL : &count_entry; }
