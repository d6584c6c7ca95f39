/* SPDX-License-Identifier: MIT */
/* sweep_cases.c - implements sweep_cases.h. */
#include "wave/sweep_cases.h"

#include <stdlib.h>
#include <string.h>

static uint64_t below(sweep_case *c, uint64_t n) { return check_below(&c->row, n); }

static uint64_t some_size(sweep_case *c, uint64_t most)
{
    static const uint64_t edges[] = {1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    uint64_t n = below(c, 3) ? 1u + below(c, most) : edges[below(c, sizeof edges / sizeof edges[0])];
    return n < most ? n : most;
}

/* Rows of all fields are equally far apart. */
static void choose_items(sweep_case *c, uint64_t most)
{
    uint64_t n_cells = 0, widest = 0;
    uint32_t i;
    c->n_items = below(c, 2) ? 1u : 1u + (uint32_t)below(c, 3);
    for (i = 0; i < c->n_items; i++) {
        c->items[i].rows = some_size(c, most);
        c->items[i].cols = some_size(c, most);
        widest = c->items[i].cols > widest ? c->items[i].cols : widest;
    }
    c->desc.row_cells = widest + below(c, 3);
    for (i = 0; i < c->n_items; i++) {
        c->items[i].cells_at = n_cells;
        n_cells += c->items[i].rows * c->desc.row_cells;
    }
    c->n_words = n_cells * c->value_words;
    c->desc.rows = c->n_items == 1 ? c->items[0].rows : 0;
    c->desc.cols = c->n_items == 1 ? c->items[0].cols : 0;
    c->desc.items = c->n_items == 1 ? NULL : c->items;
    c->desc.n_items = c->n_items == 1 ? 0 : c->n_items;
}

void sweep_case_make(sweep_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most)
{
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    memset(c, 0, sizeof *c);
    c->seed = c->row = seed;
    c->ctx = ctx;
    c->desc = none;
    c->desc.body = (uint32_t)(seed % sweeps_n_bodies);
    c->value_words = sweeps.waves[c->desc.body].cell_bytes / 4u;
    c->desc.sweeps = 1u + (uint32_t)below(c, below(c, 4) ? 9 : 30); /* of single sweeps: more passes than far rows */
    choose_items(c, most);
    CHECK_OK(ctx, heddle_mem_new(ctx, c->n_words * 4u, &c->desc.cells));
    c->want = (uint32_t *)calloc(c->n_words, 4);
    CHECK(c->want);
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

static const uint32_t masks[] = {
#define MASK(name, together, neighbours) neighbours,
    SWEEP_CELLS(MASK) SWEEP_MORE(MASK)
#undef MASK
};

/* Computes the cell at `at`, an inner one; `down`: words from a row to the next. */
static void compute(const sweep_case *c, uint32_t *at, uint64_t down, uint32_t i, uint32_t j)
{
    if (c->desc.body == sweep_pairs) {
        const sweep_pair *p = (const sweep_pair *)(const void *)at, *n = p - down / 2u, *s = p + down / 2u;
        const sweep_pair v = sweep_pair_of(c->params.by, *n, p[-1], *p, p[1], *s);
        memcpy(at, &v, sizeof v);
        return;
    }
    *at = sweep_of(masks[c->desc.body], c->params.by, *(at - down), at[-1], *at, at[1], at[down], i, j);
}

static void sweep(const sweep_case *c, const heddle_wave_item *t)
{
    const uint64_t down = c->desc.row_cells * c->value_words;
    for (uint64_t i = 1; i + 1u < t->rows; i++)
        for (uint64_t j = 1; j + 1u < t->cols; j++)
            compute(c, c->want + t->cells_at * c->value_words + i * down + j * c->value_words, down, (uint32_t)i,
                    (uint32_t)j);
}

void sweep_case_reset(sweep_case *c)
{
    c->params.by = (uint32_t)check_random(&c->row);
    for (uint64_t k = 0; k < c->n_words; k++)
        c->want[k] = (uint32_t)check_random(&c->row);
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->desc.cells, c->want, c->n_words * 4u));
    for (uint32_t s = 0; s < c->desc.sweeps; s++)
        for (uint32_t i = 0; i < c->n_items; i++)
            sweep(c, &c->items[i]);
}

void sweep_case_check(sweep_case *c, const char *how)
{
    uint32_t *got = (uint32_t *)malloc(c->n_words * 4u);
    CHECK(got);
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, got, c->desc.cells, c->n_words * 4u));
    for (uint64_t k = 0; k < c->n_words; k++)
        CHECK_MSG(got[k] == c->want[k],
                  "%s, HEDDLE_SEED=%llu: word %llu (row %llu): body %u, %u sweeps, %u fields, the first %llu x %llu",
                  how, (unsigned long long)c->seed, (unsigned long long)k,
                  (unsigned long long)(k / c->value_words / c->desc.row_cells), c->desc.body, c->desc.sweeps,
                  c->n_items, (unsigned long long)c->items[0].rows, (unsigned long long)c->items[0].cols);
    free(got);
}

void sweep_case_free(sweep_case *c)
{
    heddle_mem_free(c->ctx, c->desc.cells);
    free(c->want);
}
