/* SPDX-License-Identifier: MIT */
/* frail_cases.c - implements frail_cases.h. */
#include "wave/frail_cases.h"

#include <stdlib.h>
#include <string.h>

static uint64_t below(frail_case *c, uint64_t n) { return check_below(&c->row, n); }

/* ---- making one -------------------------------------------------------------------------------------------------- */

static void *on_device(const frail_case *c, uint64_t n_bytes)
{
    void *p;
    CHECK_OK(c->ctx, heddle_mem_new(c->ctx, n_bytes + 16u, &p));
    return p;
}

static void choose_items(frail_case *c, uint64_t most)
{
    c->desc.n_items = below(c, 2) ? 1u : 1u + (uint32_t)below(c, FRAIL_ITEMS);
    c->desc.items = c->items;
    for (uint32_t i = 0; i < c->desc.n_items; i++) {
        heddle_wave_item *t = &c->items[i];
        t->rows = 1u + below(c, 2u * most);
        t->cols = 1u + below(c, most / 2u);
        t->cells_at = c->params.at[i] = c->n_cells;
        t->last_col_at = c->n_rows;
        c->n_cells += t->rows * t->cols;
        c->n_rows += t->rows;
    }
}

/* A wave of cells may count its last column, for which somebody could wait. */
static void choose_results(frail_case *c)
{
    c->desc.cells = on_device(c, c->n_cells * 4u);
    if (c->table->waves[c->desc.body].sweeps) {
        c->desc.sweeps = 1u + (uint32_t)below(c, 5u);
    } else if (below(c, 2)) {
        c->desc.last_col = on_device(c, c->n_rows * 4u);
        c->desc.last_col_count = (uint32_t *)on_device(c, FRAIL_ITEMS * 4u);
    }
}

void frail_case_make(frail_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most)
{
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    memset(c, 0, sizeof *c);
    c->seed = c->row = seed;
    c->ctx = ctx;
    c->desc = none;
    c->is_tile = below(c, 4) == 0;
    c->table = c->is_tile ? &frail_tiles : &frail;
    choose_items(c, most);
    c->desc.tile_cols = 1u + (uint32_t)below(c, 100u);
    if (c->is_tile) {
        c->desc.band_rows = 1u + (uint32_t)below(c, 40u);
        c->params.out = (uint32_t *)on_device(c, c->n_cells * 4u);
    } else {
        c->desc.body = (uint32_t)below(c, frail_n_bodies);
        choose_results(c);
    }
    c->want = malloc(c->n_cells * 4u + 16u);
    CHECK(c->want);
}

void frail_case_starve(frail_case *c, uint32_t part_rows)
{
    uint32_t *zeros;
    if (c->is_tile || c->desc.sweeps || c->desc.n_items > 1)
        return;
    zeros = calloc(c->n_rows, 4);
    CHECK(zeros);
    c->part_rows = part_rows;
    c->west_count = (uint32_t *)on_device(c, 4);
    c->desc.west.count = c->west_count;
    c->desc.west.array = on_device(c, c->n_rows * 4u);
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, (void *)(uintptr_t)c->desc.west.array, zeros, c->n_rows * 4u));
    free(zeros);
}

void frail_case_free(frail_case *c)
{
    heddle_mem_free(c->ctx, c->west_count);
    heddle_mem_free(c->ctx, (void *)(uintptr_t)c->desc.west.array);
    heddle_mem_free(c->ctx, c->desc.cells);
    heddle_mem_free(c->ctx, c->desc.last_col);
    heddle_mem_free(c->ctx, c->desc.last_col_count);
    heddle_mem_free(c->ctx, c->params.out);
    free(c->want);
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

/* Records the first failure. */
static void fail(frail_case *c, uint32_t item, uint64_t i, uint64_t j, uint32_t sweep, uint32_t code)
{
    char in_sweep[32] = "";
    if (!code || c->first[0])
        return;
    c->first_row = i;
    if (sweep)
        snprintf(in_sweep, sizeof in_sweep, " in sweep %u", sweep);
    snprintf(c->first, sizeof c->first, "%s at row %u, column %u of item %u failed%s with code %u", c->anywhere,
             (uint32_t)i, (uint32_t)j, item, in_sweep, code);
}

static uint32_t at(const uint32_t *field, const heddle_wave_item *t, int64_t i, int64_t j)
{
    return i < 0 || j < 0 || j >= (int64_t)t->cols ? 0u : field[(uint64_t)i * t->cols + (uint64_t)j];
}

static void compute_cells(frail_case *c, uint32_t item, const heddle_wave_item *t, uint32_t *field)
{
    const int east = c->desc.body == frail_east;
    for (int64_t i = 0; i < (int64_t)t->rows; i++)
        for (int64_t j = 0; j < (int64_t)t->cols; j++) {
            const uint32_t v = frail_of(c->params.by, at(field, t, i - 1, j), at(field, t, i, j - 1),
                                        at(field, t, i - 1, east ? j + 1 : j - 1), (uint32_t)i, (uint32_t)j);
            field[(uint64_t)i * t->cols + (uint64_t)j] = v;
            fail(c, item, (uint64_t)i, (uint64_t)j, 0, frail_code(c->params.odds, v));
        }
}

static void compute_sweep(frail_case *c, uint32_t item, const heddle_wave_item *t, uint32_t *field, uint32_t sweep)
{
    for (uint64_t i = 1; i + 1u < t->rows; i++)
        for (uint64_t j = 1; j + 1u < t->cols; j++) {
            uint32_t *x = field + i * t->cols + j;
            *x = frail_sweep_of(c->params.by, *(x - t->cols), x[-1], *x, x[1], x[t->cols]);
            fail(c, item, i, j, sweep, frail_code(c->params.odds, *x));
        }
}

static void compute_tiles(frail_case *c, uint32_t item, const heddle_wave_item *t, uint32_t *field)
{
    const uint32_t cols = (c->desc.tile_cols + 31u) / 32u * 32u;
    for (uint64_t i = 0; i < t->rows; i++)
        for (uint64_t j = 0; j < t->cols; j++) {
            field[i * t->cols + j] =
                frail_of(c->params.by, at(field, t, (int64_t)i - 1, (int64_t)j), 0, 0, (uint32_t)i, (uint32_t)j);
            if (i % c->desc.band_rows == 0 && j % cols == 0)
                fail(c, item, i, j, 0,
                     frail_code(c->params.odds, frail_number(c->params.by, item, (uint32_t)i, (uint32_t)j)));
        }
}

static void compute(frail_case *c)
{
    const uint32_t sweeps = c->desc.sweeps ? c->desc.sweeps : 1u;
    for (uint32_t s = 1; s <= sweeps; s++)
        for (uint32_t i = 0; i < c->desc.n_items; i++) {
            const heddle_wave_item *t = &c->items[i];
            uint32_t *field = c->want + t->cells_at;
            if (c->is_tile)
                compute_tiles(c, i, t, field);
            else if (c->desc.sweeps)
                compute_sweep(c, i, t, field, s);
            else
                compute_cells(c, i, t, field);
        }
}

/* Odds with which about none, one, some or many of all cells fail. */
static uint32_t choose_odds(frail_case *c)
{
    const uint64_t n_tiles = c->n_cells / (c->desc.band_rows * 32u + 1u) + 1u;
    const uint64_t n = (c->is_tile ? n_tiles : c->n_cells) * (c->desc.sweeps ? c->desc.sweeps : 1u);
    const uint64_t odds[] = {2u * n, n, n / 3u, n / 50u, 3u};
    const uint64_t one = odds[below(c, sizeof odds / sizeof odds[0])];
    return (uint32_t)(one ? one : 1u);
}

static void reset_border(const frail_case *c)
{
    const uint64_t end = c->first[0] ? (c->first_row / c->part_rows + 1u) * c->part_rows : c->n_rows;
    const uint32_t count = (uint32_t)(end < c->n_rows ? end : c->n_rows);
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->west_count, &count, sizeof count));
}

void frail_case_reset(frail_case *c, int may_fail)
{
    const uint32_t zeros[FRAIL_ITEMS] = {0};
    c->params.by = (uint32_t)check_random(&c->row);
    c->params.odds = may_fail ? choose_odds(c) : 0u;
    for (uint64_t n = 0; n < c->n_cells; n++)
        c->want[n] = (uint32_t)check_random(&c->row);
    CHECK_OK(c->ctx,
             heddle_mem_write(c->ctx, c->is_tile ? (void *)c->params.out : c->desc.cells, c->want, c->n_cells * 4u));
    if (c->desc.last_col_count)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->desc.last_col_count, zeros, sizeof zeros));
    snprintf(c->anywhere, sizeof c->anywhere, "%s %s", c->is_tile ? "tile" : "cell",
             c->table->bodies[c->desc.body].name);
    c->first[0] = 0;
    compute(c);
    if (c->west_count)
        reset_border(c);
}

void frail_case_check(frail_case *c, const char *how)
{
    uint32_t *got = malloc(c->n_cells * 4u + 16u);
    CHECK(got);
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, got, c->is_tile ? (void *)c->params.out : c->desc.cells, c->n_cells * 4u));
    for (uint64_t n = 0; n < c->n_cells; n++)
        CHECK_MSG(got[n] == c->want[n], "%s, HEDDLE_SEED=%llu: cell %llu of %llu, %s", how, (unsigned long long)c->seed,
                  (unsigned long long)n, (unsigned long long)c->n_cells, c->anywhere);
    free(got);
}
