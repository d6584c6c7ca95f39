/* SPDX-License-Identifier: MIT */
/* stride_cases.c - implements stride_cases.h. */
#include "wave/stride_cases.h"

#include <string.h>

static void *memory(stride_case *c, uint64_t n_bytes)
{
    void *p;
    CHECK_OK(c->field.ctx, heddle_mem_new(c->field.ctx, n_bytes, &p));
    return p;
}

/* Stride k of columns at .. at + cols - 1. */
static void make_stride(stride_case *c, uint32_t k, uint64_t at, uint64_t cols, int is_counted)
{
    const heddle_wave_desc *whole = &c->field.desc;
    const heddle_wave_info *info = &sweeps.waves[whole->body];
    const uint64_t value = info->cell_bytes, border = (whole->rows + info->sweeps) * (info->sweeps + 1u) * value;
    heddle_wave_desc *d = &c->strides[k];
    *d = *whole;
    d->cells = (uint8_t *)whole->cells + at * value;
    d->cols = cols;
    d->col_at = at;
    d->whole_cols = whole->cols;
    d->last_col = c->columns[k] = memory(c, border * c->n_passes);
    c->counts[k] = (uint32_t *)memory(c, 4u * c->n_passes);
    d->last_col_count = is_counted ? c->counts[k] : NULL;
    d->west.array = k ? c->columns[k - 1u] : NULL;
    d->west.count = k && is_counted ? c->counts[k - 1u] : NULL;
}

int stride_case_make(stride_case *c, uint64_t seed, heddle_ctx *ctx, uint64_t most, int is_counted)
{
    const heddle_wave_desc *whole = &c->field.desc;
    uint64_t row = seed * 31u, at = 0, cols, least;
    uint32_t k;
    memset(c, 0, sizeof *c);
    sweep_case_make(&c->field, seed, ctx, most);
    least = whole->sweeps + 1u;
    if (whole->items || whole->cols < 2u * least) {
        sweep_case_free(&c->field);
        return 0;
    }
    c->n_passes = (whole->sweeps - 1u) / sweeps.waves[whole->body].sweeps + 1u;
    c->n = 2u + (uint32_t)check_below(&row, MOST_STRIDES - 1u);
    c->n = c->n * least <= whole->cols ? c->n : 2u;
    for (k = 0; k < c->n; k++, at += cols) {
        const uint64_t others = (c->n - k - 1u) * least;
        cols = k + 1u == c->n ? whole->cols - at : least + check_below(&row, whole->cols - at - others - least + 1u);
        make_stride(c, k, at, cols, is_counted);
    }
    return 1;
}

void stride_case_reset(stride_case *c)
{
    const uint32_t zeros[64] = {0};
    sweep_case_reset(&c->field);
    CHECK(c->n_passes <= 64u);
    for (uint32_t k = 0; k < c->n; k++)
        CHECK_OK(c->field.ctx, heddle_mem_write(c->field.ctx, c->counts[k], zeros, 4u * c->n_passes));
}

void stride_case_free(stride_case *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        heddle_mem_free(c->field.ctx, c->columns[k]);
        heddle_mem_free(c->field.ctx, c->counts[k]);
    }
    sweep_case_free(&c->field);
}
