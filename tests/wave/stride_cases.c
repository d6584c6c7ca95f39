/* SPDX-License-Identifier: MIT */
/* stride_cases.c - implements stride_cases.h. */
#include "wave/stride_cases.h"

#include <string.h>

static void *memory(stride_case *c, uint64_t n_bytes)
{
    const uint8_t zeros[256] = {0};
    void *p;
    CHECK_OK(c->ctx, heddle_mem_new(c->ctx, n_bytes, &p));
    for (uint64_t at = 0; at < n_bytes; at += sizeof zeros)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, (uint8_t *)p + at, zeros,
                                          n_bytes - at < sizeof zeros ? n_bytes - at : sizeof zeros));
    return p;
}

/* Place n of an array; NULL stays NULL. */
static void *place(const void *array, uint64_t n, uint64_t n_bytes)
{
    return array ? (uint8_t *)(uintptr_t)array + n * n_bytes : NULL;
}

/* The cell to the west of the row before. */
static const void *corner_of(const stride_case *c, uint64_t at, uint32_t *copy)
{
    const heddle_wave_border *west = &c->whole->west;
    const uint64_t n_bytes = c->table->waves[c->whole->body].cell_bytes;
    if (!west->array)
        return west->constant;
    CHECK_OK(c->ctx, heddle_mem_read(c->ctx, copy, place(west->array, at - 1u, n_bytes), n_bytes));
    return copy;
}

/* Stride k: rows at .. at + rows - 1. */
static void make_stride(stride_case *c, uint32_t k, uint64_t at, uint64_t rows)
{
    const heddle_wave_desc *whole = c->whole;
    const heddle_wave_info *info = &c->table->waves[whole->body];
    const uint64_t cell = info->cell_bytes, row_cells = whole->row_cells ? whole->row_cells : whole->cols;
    const int is_last = at + rows == whole->rows;
    heddle_wave_desc *d = &c->strides[k];
    *d = *whole;
    d->rows = rows;
    d->row_at = at;
    d->whole_rows = whole->rows;
    d->n_cells = 0;
    d->cells = place(whole->cells, at * row_cells, cell);
    d->x = place(whole->x, at, info->row_bytes);
    d->west.array = place(whole->west.array, at, cell);
    d->last_col = place(whole->last_col, at, cell);
    d->last_row = is_last ? whole->last_row : NULL;
    d->found = c->found[k] = whole->found ? memory(c, info->found_bytes) : NULL;
    if (!is_last)
        d->below = c->outer[k] =
            memory(c, heddle_wave_outer_bytes(c->table, whole->body, whole->cols, info->sweeps ? whole->sweeps : 0));
    if (k) {
        d->above = c->outer[k - 1u];
        d->corner = corner_of(c, at, c->corner[k]);
        d->north.array = d->north.constant = NULL;
    }
}

int stride_case_make(stride_case *c, heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *whole,
                     uint64_t unit, uint64_t *row)
{
    const uint64_t least = (table->waves[whole->body].sweeps ? whole->sweeps : 0u) + 1u;
    const uint64_t units = (least + unit - 1u) / unit; /* of a stride */
    uint64_t at = 0, rows = 0;
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    c->table = table;
    c->whole = whole;
    if (whole->items || whole->rows < units * unit + least)
        return 0;
    for (; at < whole->rows; at += rows) {
        const uint64_t more = c->n + 1u < MOST_STRIDES ? (whole->rows - at - 1u) / unit : 0u;
        rows = whole->rows - at;
        if (more >= units && (!c->n || check_below(row, 3)))
            rows = (units + check_below(row, more - units + 1u)) * unit;
        if (whole->rows - at - rows && whole->rows - at - rows < least)
            rows = c->n ? whole->rows - at : units * unit;
        make_stride(c, c->n++, at, rows);
    }
    return 1;
}

const heddle_wave_shape *stride_shape(const heddle_wave_info *info, const heddle_wave_desc *d, uint64_t *row)
{
    uint32_t s = (uint32_t)check_below(row, info->n_shapes);
    while (d->below && d->rows % (32u * info->shapes[s].rows))
        s = (s + 1u) % info->n_shapes;
    return &info->shapes[s];
}

void stride_case_reset(stride_case *c)
{
    c->run++;
    for (uint32_t k = 0; k + 1u < c->n; k++)
        CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->outer[k], &c->run, sizeof c->run));
}

void stride_case_join(stride_case *c)
{
    const heddle_wave_info *info = &c->table->waves[c->whole->body];
    uint32_t all[HD_FOUND_BYTES / 4u] = {0}, one[HD_FOUND_BYTES / 4u];
    if (!c->whole->found)
        return;
    for (uint32_t k = 0; k < c->n; k++) {
        CHECK_OK(c->ctx, heddle_mem_read(c->ctx, one, c->found[k], info->found_bytes));
        info->merge(all, one);
    }
    CHECK_OK(c->ctx, heddle_mem_write(c->ctx, c->whole->found, all, info->found_bytes));
}

void stride_case_free(stride_case *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        heddle_mem_free(c->ctx, c->outer[k]);
        heddle_mem_free(c->ctx, c->found[k]);
    }
}
