/* SPDX-License-Identifier: MIT */
/* queens.c - in how many ways n queens can stand on a board of n by n without attacking one another (n of 1 to 17). One
 * task per board down to the cutoff; from there on a task searches its board serially. */
#include "app.h"
#include "queens_bodies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SERIAL_MOST 13 /* larger boards have no serial reference */

extern const app app_queens;

/* The On-Line Encyclopedia of Integer Sequences, A000170. */
static const uint64_t known[QUEENS_MAX + 1] = {1,   1,   0,    0,     2,     10,     4,       40,       92,
                                               352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104};

typedef struct queens_case {
    app_case base;
    queens_params params;
    uint64_t found, expected;
    int has_expected;
} queens_case;

/* ---- the graph ---------------------------------------------------------------------------------- */

static int load(app_case *base, const app_request *q, char *error)
{
    queens_case *c = (queens_case *)base;
    const uint64_t n = q->n[0] ? q->n[0] : app_queens.n[0];
    int64_t cutoff;
    if (app_check_request(&app_queens, q, 0, error) ||
        app_opt_i64(&app_queens, q, "cutoff", 0, QUEENS_MAX, &cutoff, error))
        return -1;
    if (n > QUEENS_MAX || (q->n[1] && q->n[1] != n)) {
        snprintf(error, APP_ERROR, "a board has as many columns as rows, and %d at most", QUEENS_MAX);
        return -1;
    }
    base->n[0] = n;
    base->b[0] = 1;
    base->record = &c->params;
    base->record_bytes = sizeof c->params;
    c->params.n = (uint32_t)n;
    c->params.cutoff = (uint32_t)cutoff < n ? (uint32_t)cutoff : (uint32_t)n;
    return 0;
}

static void free_case(app_case *base)
{
    queens_case *c = (queens_case *)base;
    if (!c)
        return;
    heddle_graph_free(base->graph);
    if (base->ctx)
        heddle_mem_free(base->ctx, c->params.cells);
    free(c);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_queens, sizeof(queens_case), load, q, error);
}

static int build(app_case *base, heddle_ctx *ctx)
{
    queens_case *c = (queens_case *)base;
    const queens_board empty = {0, 0, 0, 0};
    base->ctx = ctx;
    if (tally_new(base, &c->params.cells))
        return -1;
    if (heddle_graph_new(ctx, &queens, &base->graph) != HEDDLE_OK ||
        heddle_graph_add(base->graph, queens_place, &empty, sizeof empty, NULL, 0, NULL) != HEDDLE_OK)
        return app_heddle_error(base, "making the graph");
    return 0;
}

static int reset(app_case *base) { return tally_clear(base, ((queens_case *)base)->params.cells); }

/* Calls the bodies' serial search on the whole board. */
static int tiles(app_case *base)
{
    const queens_case *c = (const queens_case *)base;
    const queens_board empty = {0, 0, 0, 0};
    c->params.cells->v[0] = queens_search(&empty, c->params.n);
    return 0;
}

static int read(app_case *base)
{
    queens_case *c = (queens_case *)base;
    uint64_t sum[TALLY_WORDS], most[TALLY_WORDS];
    if (tally_read(base, c->params.cells, sum, most))
        return -1;
    c->found = sum[0];
    return 0;
}

/* ---- reference and check ---------------------------------------------------------------------------- */

/* column[r]: the queen of row r. */
static int is_attacked(const int *column, int row)
{
    for (int r = 0; r < row; r++)
        if (column[r] == column[row] || abs(column[r] - column[row]) == row - r)
            return 1;
    return 0;
}

static uint64_t count_ways(int *column, int row, int n)
{
    uint64_t n_ways = 0;
    if (row == n)
        return 1;
    for (column[row] = 0; column[row] < n; column[row]++)
        if (!is_attacked(column, row))
            n_ways += count_ways(column, row + 1, n);
    return n_ways;
}

static int reference(app_case *base)
{
    queens_case *c = (queens_case *)base;
    const uint32_t n = c->params.n;
    int column[QUEENS_MAX];
    if (c->has_expected)
        return 0;
    c->expected = n <= SERIAL_MOST ? count_ways(column, 0, (int)n) : known[n];
    c->has_expected = 1;
    if (c->expected == known[n])
        return 0;
    snprintf(base->error, APP_ERROR, "the reference finds %" PRIu64 " ways; %" PRIu64 " are known", c->expected,
             known[n]);
    return -1;
}

static int check(app_case *base)
{
    const queens_case *c = (const queens_case *)base;
    if (c->found == c->expected)
        return 0;
    snprintf(base->error, APP_ERROR, "%" PRIu64 " ways were found, there are %" PRIu64, c->found, c->expected);
    return -1;
}

static void answer(app_case *base, const app_sink *s)
{
    s->u64(s->self, "solutions_total", ((const queens_case *)base)->found);
}

static const app_option options[] = {
    {"cutoff", "5", "boards of less rows are split into tasks, others are searched by one"},
    {NULL, NULL, NULL},
};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app app_queens = {
    .name = "queens",
    .summary = "the number of ways to place n queens: tasks that spawn tasks",
    .formats = "none",
    .options = options,
    .table = &queens,
    .scenarios = scenarios,
    .n = {12, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
