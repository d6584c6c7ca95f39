/* SPDX-License-Identifier: MIT */
/* border_wave.c - the waves of border.h: a body of one cell computes the same matrix. Refuses option body, which
 * chooses between versions of a tile. */
#include "border.h"

#include "heddle/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const heddle_wave_info *info_of(const border_case *c)
{
    return &c->base.app->cells->waves[c->kind->cells[c->sums]];
}

int border_wave_reset(app_case *base)
{
    static const unsigned char nothing[BORDER_SUMS_BYTES];
    border_case *c = (border_case *)base;
    const uint32_t found_bytes = info_of(c)->found_bytes;
    if (border_put_outside(c) || border_put(c, c->wave.column, c->column, border_bytes(base->n[0])))
        return -1;
    return found_bytes ? border_put(c, c->wave.found, nothing, found_bytes) : 0;
}

static int read_more(border_case *c)
{
    uint64_t found[BORDER_SUMS_BYTES / 8] = {0};
    const uint32_t found_bytes = info_of(c)->found_bytes;
    if (border_get(c, c->column, c->wave.column, border_bytes(c->base.n[0])) ||
        (found_bytes && border_get(c, found, c->wave.found, found_bytes)))
        return -1;
    memset(c->sums_read, 0, sizeof c->sums_read);
    c->kind->take(c->sums_read, found, c->sums);
    return 0;
}

/* Symbols as words: comparing words is faster than comparing halves. */
static int put_symbols(border_case *c, int32_t **to, const int16_t *from, uint64_t n)
{
    int32_t *words = app_alloc(n, sizeof *words, "symbols", c->base.error);
    uint64_t k;
    int failed;
    for (k = 0; words && k < n; k++)
        words[k] = from[k];
    failed = !words || border_new_memory(c, border_bytes(n), to) || border_put(c, *to, words, border_bytes(n));
    free(words);
    return failed ? -1 : 0;
}

static int make_memory(border_case *c)
{
    const uint64_t *n = c->base.n;
    const uint32_t found_bytes = info_of(c)->found_bytes;
    if (border_new_cells(c) || border_new_memory(c, border_bytes(n[0]), &c->wave.column) ||
        (found_bytes && border_new_memory(c, found_bytes, &c->wave.found)))
        return -1;
    return put_symbols(c, &c->wave.x, c->x, n[0]) || put_symbols(c, &c->wave.y, c->y, n[1]) ? -1 : 0;
}

static int new_wave(border_case *c)
{
    const int32_t corner = 0;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = c->kind->cells[c->sums];
    d.rows = c->base.n[0];
    d.cols = c->base.n[1];
    d.x = c->wave.x;
    d.y = c->wave.y;
    d.cells = c->grid->matrix;
    d.north.constant = d.west.constant = &c->kind->outside;
    d.corner = &corner;
    d.last_row = c->grid->row;
    d.last_col = c->wave.column;
    d.found = c->wave.found;
    if (heddle_wave_new(c->base.ctx, c->base.app->cells, &d, &c->base.graph) != HEDDLE_OK)
        return app_heddle_error(&c->base, "making the wave");
    return 0;
}

int border_refuse_body(border_case *c)
{
    if (c->body == APP_BODY_AUTO)
        return 0;
    snprintf(c->base.error, APP_ERROR, "option body chooses how tiles are computed, and %s/%s has none",
             c->base.app->name, c->base.scenario->engine->name);
    return -1;
}

int border_wave_build(app_case *base, heddle_ctx *ctx)
{
    border_case *c = (border_case *)base;
    base->ctx = ctx;
    base->record = c->of_cell.p;
    base->record_bytes = c->of_cell.n_bytes;
    base->b[0] = base->b[1] = 0;
    c->read_more = read_more;
    return border_refuse_body(c) || make_memory(c) || border_wave_reset(base) || new_wave(c) ? -1 : 0;
}
