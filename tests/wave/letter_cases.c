/* SPDX-License-Identifier: MIT */
/* letter_cases.c - implements letter_cases.h. */
#include "wave/letter_cases.h"

#include <string.h>

static uint8_t *copy_letters(const uint8_t *from, uint32_t n)
{
    uint8_t *to = malloc(n);
    CHECK(to);
    memcpy(to, from, n);
    return to;
}

void letter_case_add(letter_case *c, const uint8_t *x, uint32_t rows, const uint8_t *y, uint32_t cols)
{
    const uint32_t p = c->n++;
    CHECK(p < LETTER_PAIRS);
    c->x[p] = copy_letters(x, rows);
    c->y[p] = copy_letters(y, cols);
    c->rows[p] = rows;
    c->cols[p] = cols;
    c->want[p] = letters_best(c->worth, c->params.gap, x, rows, y, cols);
    CHECK(c->want[p] >= 0 && c->want[p] <= 32767);
}

static void add_random(letter_case *c, uint64_t *row, uint32_t most)
{
    const uint32_t rows = 1u + (uint32_t)check_below(row, most), cols = 1u + (uint32_t)check_below(row, most);
    const uint32_t shift = (uint32_t)check_below(row, rows), one_of = 1u + (uint32_t)check_below(row, 20u);
    uint8_t *x = malloc(rows), *y = malloc(cols);
    CHECK(x && y);
    for (uint32_t i = 0; i < rows; i++)
        x[i] = (uint8_t)check_below(row, 4u);
    for (uint32_t j = 0; j < cols; j++)
        y[j] = check_below(row, one_of) ? x[(j + shift) % rows] : (uint8_t)check_below(row, 4u);
    letter_case_add(c, x, rows, y, cols);
    free(x);
    free(y);
}

void letter_case_make(letter_case *c, uint64_t seed, uint32_t most)
{
    uint64_t row = seed;
    const uint32_t n = 1u + (uint32_t)check_below(&row, LETTER_PAIRS);
    memset(c, 0, sizeof *c);
    c->worth.match = 1 + (int32_t)check_below(&row, 12u);
    c->worth.mismatch = -(int32_t)check_below(&row, 12u);
    c->params.gap = -1 - (int32_t)check_below(&row, 12u);
    c->params.gaps = heddle_2x16(c->params.gap, c->params.gap);
    while (c->n < n)
        add_random(c, &row, most);
}

/* ---- on a context ------------------------------------------------------------------------------------------------ */

static uint32_t letter_of(const uint8_t *letters, uint32_t n, uint64_t i) { return i < n ? letters[i] : LETTER_NONE; }

/* Letter i of pair p, or LETTER_NONE. */
static uint32_t row_letter(const letter_case *c, uint32_t p, uint64_t i)
{
    return p < c->n ? letter_of(c->x[p], c->rows[p], i) : LETTER_NONE;
}
static uint32_t column_letter(const letter_case *c, uint32_t p, uint64_t j)
{
    return p < c->n ? letter_of(c->y[p], c->cols[p], j) : LETTER_NONE;
}

/* The first pair of an item; and the second, c->n if there is none. */
static uint32_t first_of(const letter_case *c, uint32_t item) { return item * c->together; }
static uint32_t second_of(const letter_case *c, uint32_t item)
{
    return c->together == 2u && first_of(c, item) + 1u < c->n ? first_of(c, item) + 1u : c->n;
}

/* An item as long as its longer pair, or a little longer for sparse cells. */
static heddle_wave_item item_of(const letter_case *c, uint32_t k, const heddle_wave_item *before)
{
    const uint32_t a = first_of(c, k), b = second_of(c, k);
    heddle_wave_item item;
    memset(&item, 0, sizeof item);
    item.rows = b < c->n && c->rows[b] > c->rows[a] ? c->rows[b] : c->rows[a];
    item.cols = b < c->n && c->cols[b] > c->cols[a] ? c->cols[b] : c->cols[a];
    item.rows += c->is_sparse ? item.rows % 2u : 0u;
    item.cols += c->is_sparse ? 1u : 0u;
    item.x_at = before ? before->x_at + before->rows : 0u;
    item.y_at = before ? before->y_at + before->cols : 0u;
    return item;
}

static void fill_rows(const letter_case *c, uint32_t k, letter_pair_row *two, uint32_t *one)
{
    const heddle_wave_item *item = &c->items[k];
    for (uint64_t i = 0; i < item->rows; i++) {
        const uint32_t a = row_letter(c, first_of(c, k), i), b = row_letter(c, second_of(c, k), i);
        two[item->x_at + i] = letter_row_of_pair(c->worth, a, b);
        one[item->x_at + i] = letter_row(a);
    }
}

static void fill_columns(const letter_case *c, uint32_t k, uint32_t *columns)
{
    const heddle_wave_item *item = &c->items[k];
    for (uint64_t j = 0; j < item->cols; j++) {
        const uint32_t a = column_letter(c, first_of(c, k), j), b = column_letter(c, second_of(c, k), j);
        columns[item->y_at + j] = c->together == 2u ? letter_column_of_pair(a, b) : letter_scores(c->worth, a);
    }
}

static void *on_context(heddle_ctx *ctx, const void *from, size_t n_bytes)
{
    void *p;
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, from, n_bytes));
    return p;
}

void letter_case_lay_out(letter_case *c, heddle_ctx *ctx, const heddle_table *table)
{
    const uint32_t together = strncmp(table->name, "letters_", 8) ? 2u : 1u;
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    const heddle_wave_item *last;
    letter_pair_row *two;
    uint32_t *one, *columns;
    c->ctx = ctx;
    c->together = together;
    c->is_sparse = !strncmp(table->name, "sparse_", 7);
    c->desc = none;
    c->desc.items = c->items;
    c->desc.n_items = (c->n + together - 1u) / together;
    for (uint32_t k = 0; k < c->desc.n_items; k++)
        c->items[k] = item_of(c, k, k ? &c->items[k - 1u] : NULL);
    last = &c->items[c->desc.n_items - 1u];
    two = malloc((last->x_at + last->rows) * sizeof *two);
    one = malloc((last->x_at + last->rows) * sizeof *one);
    columns = malloc((last->y_at + last->cols) * sizeof *columns);
    CHECK(two && one && columns);
    for (uint32_t k = 0; k < c->desc.n_items; k++) {
        fill_rows(c, k, two, one);
        fill_columns(c, k, columns);
    }
    c->desc.x = together == 2u ? on_context(ctx, two, (last->x_at + last->rows) * sizeof *two)
                               : on_context(ctx, one, (last->x_at + last->rows) * sizeof *one);
    c->desc.y = on_context(ctx, columns, (last->y_at + last->cols) * sizeof *columns);
    CHECK_OK(ctx, heddle_mem_new(ctx, LETTER_PAIRS * 4u, &c->desc.found_each));
    free(two);
    free(one);
    free(columns);
}

void letter_case_reset(letter_case *c)
{
    static const uint32_t poison[LETTER_PAIRS] = {0xa5a5a5a5u, 0xa5a5a5a5u};
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->desc.found_each, poison, sizeof poison));
}

void letter_case_check(const letter_case *c, const char *how)
{
    uint32_t got[LETTER_PAIRS];
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, got, c->desc.found_each, sizeof got));
    for (uint32_t p = 0; p < c->n; p++) {
        const uint32_t word = got[p / c->together];
        const int32_t best = c->together == 1u ? (int32_t)word : p % 2u ? heddle_high16(word) : heddle_low16(word);
        CHECK_MSG(best == c->want[p], "%s: pair %u of %u, %u by %u letters: %d, not %d", how, p, c->n, c->rows[p],
                  c->cols[p], best, c->want[p]);
    }
}

void letter_case_lift(letter_case *c)
{
    heddle_mem_free(c->ctx, (void *)(uintptr_t)c->desc.x);
    heddle_mem_free(c->ctx, (void *)(uintptr_t)c->desc.y);
    heddle_mem_free(c->ctx, c->desc.found_each);
}

void letter_case_free(letter_case *c)
{
    for (uint32_t p = 0; p < c->n; p++) {
        free(c->x[p]);
        free(c->y[p]);
    }
}
