/* SPDX-License-Identifier: MIT */
/* cases.c - implements cases.h. */
#include "wave/cases.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 0xa5u /* content of memory before a run */
#define GUARDED 16u /* bytes behind an array */

static uint64_t below(wave_case *c, uint64_t n) { return check_below(&c->row, n); }

/* ---- making one -------------------------------------------------------------------------------------------------- */

static void *host(uint64_t n_bytes)
{
    void *p = calloc(1, n_bytes + GUARDED);
    CHECK(p);
    return p;
}

static void *random_words(wave_case *c, uint64_t n_bytes)
{
    uint8_t *p = host(n_bytes);
    for (uint64_t i = 0; i < n_bytes; i++)
        p[i] = (uint8_t)check_random(&c->row);
    return p;
}

static void *on_device(const wave_case *c, const void *from, uint64_t n_bytes)
{
    void *p;
    CHECK_OK(c->ctx, heddle_mem_new(c->ctx, n_bytes + GUARDED, &p));
    if (from)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, p, from, n_bytes));
    return p;
}

static uint64_t some_size(wave_case *c, uint64_t most)
{
    static const uint64_t edges[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    uint64_t n = below(c, 3) ? 1u + below(c, most) : edges[below(c, sizeof edges / sizeof edges[0])];
    return n < most ? n : most;
}

static void choose_items(wave_case *c, uint64_t most)
{
    c->n_items = below(c, 3) ? 1u : 1u + (uint32_t)below(c, 8);
    for (uint32_t i = 0; i < c->n_items; i++) {
        heddle_wave_item *t = &c->items[i];
        t->rows = some_size(c, most);
        t->cols = some_size(c, most);
        t->x_at = t->west_at = t->last_col_at = c->n_rows;
        t->y_at = t->north_at = t->last_row_at = c->n_cols;
        c->want_at[i] = c->n_cells;
        c->n_rows += t->rows;
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

static void choose_border(wave_case *c, heddle_wave_border *b, uint32_t **array, uint32_t constant[4], uint64_t n_cells)
{
    switch (below(c, 3)) {
    case 0:
        *array = (uint32_t *)random_words(c, n_cells * c->cell_words * 4u);
        b->array = on_device(c, *array, n_cells * c->cell_words * 4u);
        break;
    case 1:
        for (uint32_t w = 0; w < c->cell_words; w++)
            constant[w] = (uint32_t)check_random(&c->row);
        b->constant = constant;
        break;
    default: break;
    }
}

static void choose_counts(wave_case *c)
{
    c->counts = (uint32_t *)on_device(c, NULL, 3u * 8u * 4u);
    if (c->north && below(c, 2))
        c->desc.north.count = c->counts;
    if (c->west && below(c, 2))
        c->desc.west.count = c->counts + 8;
    if (c->desc.last_col && below(c, 2))
        c->desc.last_col_count = c->counts + 16;
}

void wave_case_uncount(wave_case *c) { c->desc.north.count = c->desc.west.count = NULL; }

void wave_case_simplify(wave_case *c)
{
    wave_case_uncount(c);
    c->desc.last_col_count = NULL;
    heddle_mem_free(c->ctx, c->desc.found_each);
    c->desc.found_each = NULL;
    c->desc.layout = HEDDLE_LAYOUT_ROWS;
    if (c->n_items > 1)
        return;
    c->desc.items = NULL;
    c->desc.n_items = 0;
    c->desc.rows = c->items[0].rows;
    c->desc.cols = c->items[0].cols;
}

uint32_t wave_case_count(const wave_case *c, uint32_t n)
{
    return (uint32_t)(n < 8u ? c->items[n].cols : c->items[n - 8u].rows);
}

static void choose_corners(wave_case *c)
{
    for (uint32_t w = 0; w < c->cell_words; w++) {
        c->corner[w] = (uint32_t)check_random(&c->row);
        c->east[w] = (uint32_t)check_random(&c->row);
    }
    c->desc.corner = c->corner;
    c->desc.east = c->east;
}

/* Cells kept by rows get gaps between the rows. */
static void choose_gaps(wave_case *c)
{
    for (uint32_t i = 0; i < c->n_items; i++)
        if (c->items[i].cols > c->desc.row_cells)
            c->desc.row_cells = c->items[i].cols;
    c->desc.row_cells += below(c, 2) ? below(c, 70) : 32u - c->desc.row_cells % 32u;
}

static void choose_results(wave_case *c)
{
    const heddle_wave_info *info = &c->table->waves[c->desc.body];
    const uint64_t n_bytes = c->cell_words * 4u;
    c->keeps = below(c, 3) != 0;
    c->desc.layout = c->keeps && below(c, 2) ? HEDDLE_LAYOUT_SKEWED : HEDDLE_LAYOUT_ROWS;
    if (c->keeps && c->desc.layout == HEDDLE_LAYOUT_ROWS && below(c, 3))
        choose_gaps(c);
    if (below(c, 2))
        c->desc.last_row = on_device(c, NULL, c->n_cols * n_bytes);
    if (below(c, 2))
        c->desc.last_col = on_device(c, NULL, c->n_rows * n_bytes);
    if (info->found_bytes && below(c, 4))
        c->desc.found = on_device(c, NULL, info->found_bytes);
    if (info->found_bytes && below(c, 4))
        c->desc.found_each = on_device(c, NULL, c->n_items * info->found_bytes);
}

/* By its name, mix_fours for tiled_fours. */
static uint32_t cell_of(const wave_case *c)
{
    const char *name = strchr(c->table->bodies[c->desc.body].name, '_');
    uint32_t cell = 0;
    while (strcmp(strchr(mix.bodies[cell].name, '_'), name) != 0)
        CHECK(++cell < mix_n_bodies);
    return cell;
}

void wave_case_make(wave_case *c, const heddle_table *table, uint64_t seed, heddle_ctx *ctx, uint64_t most)
{
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    const heddle_wave_info *info;
    memset(c, 0, sizeof *c);
    c->seed = c->row = seed;
    c->ctx = ctx;
    c->desc = none;
    c->table = table;
    c->desc.body = (uint32_t)below(c, table->n_bodies);
    c->cell = cell_of(c);
    info = &table->waves[c->desc.body];
    c->cell_words = info->cell_bytes / 4u;
    c->south_words = info->south_bytes / 4u;
    choose_items(c, most);
    c->x = (uint8_t *)random_words(c, c->n_rows * info->row_bytes);
    c->y = (uint8_t *)random_words(c, c->n_cols * info->column_bytes);
    c->desc.x = on_device(c, c->x, c->n_rows * info->row_bytes);
    c->desc.y = on_device(c, c->y, c->n_cols * info->column_bytes);
    choose_border(c, &c->desc.north, &c->north, c->constant[0], c->n_cols);
    choose_border(c, &c->desc.west, &c->west, c->constant[1], c->n_rows);
    choose_corners(c);
    choose_results(c);
    choose_counts(c);
    c->want_cells = (uint32_t *)host(c->n_cells * c->cell_words * 4u);
    c->want_last_row = (uint32_t *)host(c->n_cols * c->cell_words * 4u);
    c->want_last_col = (uint32_t *)host(c->n_rows * c->cell_words * 4u);
}

/* Also leaves gaps between fields. */
void wave_case_lay_out(wave_case *c)
{
    c->n_kept = 0;
    for (uint32_t i = 0; i < c->n_items; i++) {
        heddle_wave_layout *l = &c->layouts[i];
        CHECK_OK(c->ctx, heddle_wave_get_layout(c->ctx, c->table, &c->desc, i, l));
        CHECK(l->rows == c->items[i].rows && l->cols == c->items[i].cols);
        c->items[i].cells_at = c->n_kept;
        c->n_kept += heddle_wave_cells(l) + (i + 1u < c->n_items ? l->together * below(c, 3) : 0u);
        while (i + 1u < c->n_items && c->n_kept % 4u)
            c->n_kept++;
    }
    c->desc.n_cells = below(c, 2) ? c->n_kept : 0u;
    if (!c->keeps)
        return;
    const uint32_t step = (c->cell_words & (0u - c->cell_words)) * 4u; /* alignment of cells */
    c->kept = on_device(c, NULL, c->n_kept * c->cell_words * 4u + 128u);
    c->desc.cells =
        (uint8_t *)c->kept + (c->desc.layout == HEDDLE_LAYOUT_ROWS ? step * below(c, 128u / step + 1u) : 0u);
}

void wave_case_free(wave_case *c)
{
    void *device[] = {(void *)(uintptr_t)c->desc.x,
                      (void *)(uintptr_t)c->desc.y,
                      (void *)(uintptr_t)c->desc.north.array,
                      (void *)(uintptr_t)c->desc.west.array,
                      c->kept,
                      c->desc.last_row,
                      c->desc.last_col,
                      c->desc.found,
                      c->desc.found_each,
                      c->counts};
    for (size_t i = 0; i < sizeof device / sizeof device[0]; i++)
        heddle_mem_free(c->ctx, device[i]);
    free(c->x);
    free(c->y);
    free(c->north);
    free(c->west);
    free(c->want_cells);
    free(c->want_last_row);
    free(c->want_last_col);
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

/* Cell (i, j) of item t, or what stands in for it outside the field. */
static const uint32_t *cell_at(const wave_case *c, uint32_t item, int64_t i, int64_t j)
{
    const heddle_wave_item *t = &c->items[item];
    if (i < 0 && j < 0)
        return c->corner;
    if (j < 0)
        return c->west ? c->west + (t->west_at + (uint64_t)i) * c->cell_words : c->constant[1];
    if (j >= (int64_t)t->cols)
        return c->east;
    if (i < 0)
        return c->north ? c->north + (t->north_at + (uint64_t)j) * c->cell_words : c->constant[0];
    return c->want_cells + (c->want_at[item] + (uint64_t)i * t->cols + (uint64_t)j) * c->cell_words;
}

static uint32_t known(const uint8_t *of, uint64_t at, uint32_t n_bytes)
{
    uint32_t v = 0;
    if (n_bytes != sizeof(heddle_nothing))
        memcpy(&v, of + at * n_bytes, n_bytes);
    return v;
}

static float as_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Computes a cell; returns the number that decides whether the cell is found. */
static uint32_t compute(const wave_case *c, uint32_t item, int64_t i, int64_t j, uint32_t *out)
{
    const heddle_wave_info *info = &c->table->waves[c->desc.body];
    const heddle_wave_item *t = &c->items[item];
    const uint32_t *n = cell_at(c, item, i - 1, j), *w = cell_at(c, item, i, j - 1),
                   *nw = cell_at(c, item, i - 1, j - 1), *ne = cell_at(c, item, i - 1, j + 1);
    const uint32_t x = known(c->x, t->x_at + (uint64_t)i, info->row_bytes),
                   y = known(c->y, t->y_at + (uint64_t)j, info->column_bytes), by = c->params.by;
    if (c->cell == mix_pairs) {
        out[1] = mix_in(w[1], w[0]);
        out[0] = mix_of(7, by, n[0], w[0] + out[1], nw[0], 0, 0, y, (uint32_t)i, (uint32_t)j);
        return out[0] + out[1];
    }
    if (c->cell == mix_threes) {
        out[2] = mix_in(w[2], w[1]);
        out[0] = mix_of(7, by, n[1], w[0], nw[0], 0, x, y, (uint32_t)i, (uint32_t)j);
        out[1] = mix_in(n[0], w[2]);
        return 0;
    }
    if (c->cell == mix_fours) {
        out[3] = mix_in(w[3], w[2]);
        out[0] = mix_of(11, by, n[0], w[0], 0, ne[2], x, 0, (uint32_t)i, (uint32_t)j);
        out[1] = mix_in(n[1], w[3]);
        out[2] = mix_in(ne[0], n[2]);
        return 0;
    }
    if (c->cell == mix_floats)
        return *out = mix_bits(mix_float_of(by, as_float(*n), as_float(*w), as_float(*nw), as_float(*ne), x, y));
    return *out = mix_of(c->cell + 1u, by, *n, *w, *nw, *ne, x, y, (uint32_t)i, (uint32_t)j);
}

static void compute_item(wave_case *c, uint32_t item)
{
    const heddle_wave_item *t = &c->items[item];
    const uint32_t n_bytes = c->cell_words * 4u;
    mix_found found = {0};
    for (uint64_t i = 0; i < t->rows; i++)
        for (uint64_t j = 0; j < t->cols; j++) {
            uint32_t *out = c->want_cells + (c->want_at[item] + i * t->cols + j) * c->cell_words;
            uint32_t v = compute(c, item, (int64_t)i, (int64_t)j, out);
            if (mix_is_found(v))
                mix_find(v, (uint32_t)i, (uint32_t)j, &found);
            if (i + 1u == t->rows)
                memcpy(c->want_last_row + (t->last_row_at + j) * c->cell_words, out, n_bytes);
            if (j + 1u == t->cols)
                memcpy(c->want_last_col + (t->last_col_at + i) * c->cell_words, out, n_bytes);
        }
    c->want_each[t - c->items] = found;
    mix_merge(&c->want_found, &found);
}

static void guard(const wave_case *c, void *p, uint64_t n_bytes)
{
    uint8_t *bytes = (uint8_t *)host(n_bytes);
    memset(bytes, GUARD, n_bytes);
    if (p)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, p, bytes, n_bytes));
    free(bytes);
}

void wave_case_bring(const wave_case *c, uint32_t n, uint32_t first, uint32_t end)
{
    const heddle_wave_item *t = &c->items[n % 8u];
    const uint64_t at = (n < 8u ? t->north_at : t->west_at) + first, n_bytes = c->cell_words * 4u;
    const heddle_wave_border *b = n < 8u ? &c->desc.north : &c->desc.west;
    const uint32_t *from = n < 8u ? c->north : c->west;
    if (b->count && end > first)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, (uint8_t *)(uintptr_t)b->array + at * n_bytes,
                                          from + at * c->cell_words, (end - first) * n_bytes));
}

/* All of a border is there, or it comes later; none of a last column is there. */
static void reset_counts(const wave_case *c)
{
    uint32_t counts[3u * 8u] = {0};
    if (c->is_slow && c->desc.north.count)
        guard(c, (void *)(uintptr_t)c->desc.north.array, c->n_cols * c->cell_words * 4u);
    if (c->is_slow && c->desc.west.count)
        guard(c, (void *)(uintptr_t)c->desc.west.array, c->n_rows * c->cell_words * 4u);
    for (uint32_t n = 0; n < 16u && !c->is_slow; n++)
        counts[n] = wave_case_count(c, n);
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->counts, counts, sizeof counts));
}

static void check_counts(const wave_case *c, const char *how)
{
    uint32_t counts[3u * 8u];
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, counts, c->counts, sizeof counts));
    for (uint32_t t = 0; t < 8u; t++)
        CHECK_MSG(counts[16u + t] == (c->desc.last_col_count ? c->items[t].rows : 0u),
                  "%s, HEDDLE_SEED=%llu: %u rows of item %u's last column are said to be there", how,
                  (unsigned long long)c->seed, counts[16u + t], t);
}

void wave_case_reset(wave_case *c)
{
    const uint64_t n_bytes = c->cell_words * 4u;
    c->params.by = (uint32_t)check_random(&c->row);
    memset(&c->want_found, 0, sizeof c->want_found);
    for (uint32_t i = 0; i < c->n_items; i++)
        compute_item(c, i);
    guard(c, c->desc.cells, c->n_kept * n_bytes + GUARDED);
    guard(c, c->desc.last_row, c->n_cols * n_bytes);
    guard(c, c->desc.last_col, c->n_rows * n_bytes);
    guard(c, c->desc.found, sizeof c->want_found);
    guard(c, c->desc.found_each, c->n_items * sizeof c->want_found);
    reset_counts(c);
}

static void compare(const wave_case *c, const char *how, const char *what, const void *got, const void *want,
                    uint64_t n_bytes)
{
    uint8_t *copy = (uint8_t *)host(n_bytes);
    if (got)
        CHECK_OK(c->ctx, heddle_mem_read(c->ctx, copy, got, n_bytes));
    for (uint64_t i = 0; got && i < n_bytes; i++)
        CHECK_MSG(copy[i] == ((const uint8_t *)want)[i],
                  "%s, HEDDLE_SEED=%llu: %s, word %llu of %llu: body %u, %u items, the first %llu x %llu", how,
                  (unsigned long long)c->seed, what, (unsigned long long)(i / 4u), (unsigned long long)(n_bytes / 4u),
                  c->cell, c->n_items, (unsigned long long)c->items[0].rows, (unsigned long long)c->items[0].cols);
    free(copy);
}

/* Gaps between rows must be untouched. */
static void check_gaps(const wave_case *c, uint8_t *copy, const char *how)
{
    const uint64_t n_bytes = c->cell_words * 4u;
    for (uint32_t t = 0; t < c->n_items; t++)
        for (uint64_t i = 0; i < c->items[t].rows; i++)
            memset(copy + (c->items[t].cells_at + heddle_wave_index(&c->layouts[t], i, 0)) * n_bytes, GUARD,
                   c->items[t].cols * n_bytes);
    for (uint64_t b = 0; b < c->n_kept * n_bytes; b++)
        CHECK_MSG(copy[b] == GUARD, "%s, HEDDLE_SEED=%llu: written between rows, byte %llu", how,
                  (unsigned long long)c->seed, (unsigned long long)b);
}

/* Kept cells must equal those of plain loops, wherever the layout puts them; nothing is written behind the last. */
static void compare_kept(const wave_case *c, const char *how)
{
    const uint64_t n_bytes = c->cell_words * 4u, all_bytes = c->n_kept * n_bytes + GUARDED;
    uint8_t *copy = (uint8_t *)host(all_bytes);
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, copy, c->desc.cells, all_bytes));
    for (uint32_t t = 0; t < c->n_items; t++)
        for (uint64_t i = 0; i < c->items[t].rows; i++)
            for (uint64_t j = 0; j < c->items[t].cols; j++) {
                const uint8_t *got = copy + (c->items[t].cells_at + heddle_wave_index(&c->layouts[t], i, j)) * n_bytes;
                const uint32_t *want = c->want_cells + (c->want_at[t] + i * c->items[t].cols + j) * c->cell_words;
                CHECK_MSG(
                    !memcmp(got, want, n_bytes),
                    "%s, HEDDLE_SEED=%llu: cell (%llu, %llu) of item %u, layout %u: body %u, first word %08x, not %08x",
                    how, (unsigned long long)c->seed, (unsigned long long)i, (unsigned long long)j, t, c->desc.layout,
                    c->cell, *(const uint32_t *)(const void *)got, *want);
            }
    for (uint64_t b = c->n_kept * n_bytes; b < all_bytes; b++)
        CHECK_MSG(copy[b] == GUARD, "%s, HEDDLE_SEED=%llu: written behind the last cell", how,
                  (unsigned long long)c->seed);
    if (c->desc.layout == HEDDLE_LAYOUT_ROWS)
        check_gaps(c, copy, how);
    free(copy);
}

/* Converts an item's cells to rows, and back into the layout. */
static void convert_item(wave_case *c, uint32_t t, const char *how)
{
    const uint64_t n_bytes = c->cell_words * 4u, rows_bytes = c->items[t].rows * c->items[t].cols * n_bytes;
    uint8_t *kept = (uint8_t *)c->desc.cells + c->items[t].cells_at * n_bytes;
    void *rows = on_device(c, NULL, rows_bytes);
    const heddle_wave_layout *l = &c->layouts[t];
    CHECK_OK(c->ctx, heddle_wave_convert(c->ctx, c->table, c->desc.body, l, kept, NULL, rows));
    compare(c, how, "cells by rows", rows, c->want_cells + c->want_at[t] * c->cell_words, rows_bytes);
    guard(c, kept, heddle_wave_cells(l) * n_bytes);
    CHECK_OK(c->ctx, heddle_wave_convert(c->ctx, c->table, c->desc.body, NULL, rows, l, kept));
    heddle_mem_free(c->ctx, rows);
}

void wave_case_convert(wave_case *c, const char *how)
{
    if (!c->keeps)
        return;
    for (uint32_t t = 0; t < c->n_items; t++)
        convert_item(c, t, how);
    compare_kept(c, how);
}

void wave_case_check(wave_case *c, const char *how)
{
    const uint64_t n_bytes = c->cell_words * 4u;
    if (c->keeps)
        compare_kept(c, how);
    compare(c, how, "last row", c->desc.last_row, c->want_last_row, c->n_cols * n_bytes);
    compare(c, how, "last column", c->desc.last_col, c->want_last_col, c->n_rows * n_bytes);
    compare(c, how, "found", c->desc.found, &c->want_found, sizeof c->want_found);
    compare(c, how, "found of each item", c->desc.found_each, c->want_each, c->n_items * sizeof c->want_found);
    check_counts(c, how);
}
