/* SPDX-License-Identifier: MIT */
/* tile_cases.c - implements tile_cases.h. */
#include "wave/tile_cases.h"

#include <stdlib.h>
#include <string.h>

static uint64_t below(tile_case *c, uint64_t n) { return check_below(&c->row, n); }

/* ---- making one -------------------------------------------------------------------------------------------------- */

static uint32_t *random_words(tile_case *c, uint64_t n)
{
    uint32_t *p = malloc(n * 4u + 16u);
    CHECK(p);
    for (uint64_t i = 0; i < n; i++)
        p[i] = (uint32_t)check_random(&c->row);
    return p;
}

static void *on_device(const tile_case *c, const void *from, uint64_t n_bytes)
{
    void *p;
    CHECK_OK(c->ctx, heddle_mem_new(c->ctx, n_bytes + 16u, &p));
    if (from)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, p, from, n_bytes));
    return p;
}

static uint64_t some_size(tile_case *c, uint64_t most)
{
    static const uint64_t edges[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    uint64_t n =
        below(c, 4) ? most / 4u + below(c, most - most / 4u) + 1u : edges[below(c, sizeof edges / sizeof edges[0])];
    return n < most ? n : most;
}

static void choose_items(tile_case *c, uint64_t most_rows, uint64_t most_cols)
{
    c->n_items = below(c, 2) ? 1u : 1u + (uint32_t)below(c, TILES_MOST_ITEMS);
    for (uint32_t i = 0; i < c->n_items; i++) {
        heddle_wave_item *t = &c->items[i];
        t->rows = some_size(c, most_rows);
        t->cols = some_size(c, most_cols);
        t->north_at = c->n_cols;
        c->params.at[i] = c->n_cells;
        c->n_cols += t->cols;
        c->n_cells += t->rows * t->cols;
    }
    if (c->n_items == 1 && below(c, 2)) {
        c->desc.rows = c->items[0].rows;
        c->desc.cols = c->items[0].cols;
        return;
    }
    c->desc.items = c->items;
    c->desc.n_items = c->n_items;
}

static void choose_tiles(tile_case *c)
{
    static const uint32_t rows[] = {1, 2, 7, 16, 32, TILES_MOST_ROWS};
    c->desc.body = (uint32_t)below(c, tiles_n_bodies);
    c->desc.band_rows = rows[below(c, sizeof rows / sizeof rows[0])];
    c->desc.tile_cols = 1u + (uint32_t)below(c, below(c, 2) ? 64u : 512u);
}

/* Words that a column passes south. */
static uint64_t south_words(const tile_case *c) { return tiles.waves[c->desc.body].south_bytes / 4u; }

void tile_case_make(tile_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most_rows, uint64_t most_cols)
{
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    memset(c, 0, sizeof *c);
    c->seed = c->row = seed;
    c->ctx = ctx;
    c->desc = none;
    choose_items(c, most_rows, most_cols);
    choose_tiles(c);
    c->in = random_words(c, c->n_cells);
    c->want = random_words(c, c->n_cells);
    c->params.in = on_device(c, c->in, c->n_cells * 4u);
    c->params.out = on_device(c, NULL, c->n_cells * 4u);
    if (below(c, 2)) {
        c->north = random_words(c, c->n_cols * south_words(c));
        c->desc.north.array = on_device(c, c->north, c->n_cols * south_words(c) * 4u);
    }
}

void tile_case_free(tile_case *c)
{
    heddle_mem_free(c->ctx, (void *)(uintptr_t)c->params.in);
    heddle_mem_free(c->ctx, c->params.out);
    heddle_mem_free(c->ctx, (void *)(uintptr_t)c->desc.north.array);
    free(c->in);
    free(c->want);
    free(c->north);
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

/* What lies above column j of item t. */
static const uint32_t *above(const tile_case *c, const heddle_wave_item *t, uint64_t j)
{
    static const uint32_t nothing[3];
    return c->north ? c->north + (t->north_at + j) * south_words(c) : nothing;
}

/* The cell above (i, j), for bodies that pass on cells only. */
static uint32_t cell_above(const tile_case *c, const heddle_wave_item *t, const uint32_t *want, uint64_t i, uint64_t j)
{
    return i ? want[(i - 1u) * t->cols + j] : *above(c, t, j);
}

static void compute_area(const tile_case *c, const heddle_wave_item *t, const uint32_t *in, uint32_t *want)
{
    for (uint64_t i = 0; i < t->rows; i++) {
        uint32_t sum = 0;
        for (uint64_t j = 0; j < t->cols; j++) {
            sum += in[i * t->cols + j];
            want[i * t->cols + j] = sum + cell_above(c, t, want, i, j);
        }
    }
}

static void compute_down(const tile_case *c, const heddle_wave_item *t, const uint32_t *in, uint32_t *want)
{
    for (uint64_t j = 0; j < t->cols; j++) {
        tiles_three s;
        memcpy(&s, above(c, t, j), sizeof s);
        for (uint64_t i = 0; i < t->rows; i++) {
            tiles_step(&s, in[i * t->cols + j], c->params.by);
            want[i * t->cols + j] = s.v[2];
        }
    }
}

static void compute_cells(const tile_case *c, const heddle_wave_item *t, const uint32_t *in, uint32_t *want)
{
    for (uint64_t i = 0; i < t->rows; i++) {
        uint32_t w = 0, nw = 0;
        for (uint64_t j = 0; j < t->cols; j++) {
            const uint32_t n = cell_above(c, t, want, i, j);
            w = want[i * t->cols + j] = tiles_cell(n, w, nw, in[i * t->cols + j]);
            nw = n;
        }
    }
}

static void compute_own(const tile_case *c, const heddle_wave_item *t, const uint32_t *in, uint32_t *want)
{
    for (uint64_t k = 0; k < t->rows * t->cols; k++)
        want[k] = tiles_mix(c->params.by, in[k]);
}

void tile_case_reset(tile_case *c)
{
    static void (*const compute[])(const tile_case *, const heddle_wave_item *, const uint32_t *,
                                   uint32_t *) = {compute_area, compute_down, compute_cells, compute_own};
    c->params.by = (uint32_t)check_random(&c->row);
    c->params.fail_item = UINT32_MAX;
    for (uint64_t k = 0; k < c->n_cells; k++)
        c->want[k] = 0xa5a5a5a5u;
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->params.out, c->want, c->n_cells * 4u));
    for (uint32_t i = 0; i < c->n_items; i++)
        compute[c->desc.body](c, &c->items[i], c->in + c->params.at[i], c->want + c->params.at[i]);
}

void tile_case_fail(tile_case *c)
{
    c->params.fail_item = (uint32_t)below(c, c->n_items);
    c->params.fail_row = (uint32_t)below(c, c->items[c->params.fail_item].rows);
    c->params.fail_col = (uint32_t)below(c, c->items[c->params.fail_item].cols);
}

void tile_case_check(tile_case *c, const char *how)
{
    uint32_t *got = malloc(c->n_cells * 4u + 16u);
    CHECK(got);
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, got, c->params.out, c->n_cells * 4u));
    for (uint64_t k = 0; k < c->n_cells; k++)
        CHECK_MSG(got[k] == c->want[k],
                  "%s, HEDDLE_SEED=%llu: cell %llu of %llu: body %u, tiles of %u x %u, %u items, the first %llu x %llu",
                  how, (unsigned long long)c->seed, (unsigned long long)k, (unsigned long long)c->n_cells, c->desc.body,
                  c->desc.band_rows, c->desc.tile_cols, c->n_items, (unsigned long long)c->items[0].rows,
                  (unsigned long long)c->items[0].cols);
    free(got);
}
