/* SPDX-License-Identifier: MIT */
/* border_front.c - the waves of border.h over a fleet, on memory of the host. */
#include "border.h"

#include "loop.h"

#include <stdlib.h>
#include <string.h>

/* No old result can pass. */
int border_front_reset(app_case *base)
{
    border_case *c = (border_case *)base;
    memset(c->row, 0, border_bytes(base->n[1]));
    memset(c->column, 0, border_bytes(base->n[0]));
    memset(c->front.found, 0, sizeof c->front.found);
    if (c->matrix)
        memset(c->matrix, 0, border_bytes(base->n[0] * base->n[1]));
    return 0;
}

static int read_more(border_case *c)
{
    memset(c->sums_read, 0, sizeof c->sums_read);
    c->kind->take(c->sums_read, c->front.found, c->sums);
    return 0;
}

/* Symbols as words, as a wave has them. */
static int32_t *words_of(border_case *c, const int16_t *from, uint64_t n)
{
    int32_t *words = app_alloc(n, sizeof *words, "symbols", c->base.error);
    for (uint64_t k = 0; words && k < n; k++)
        words[k] = from[k];
    return words;
}

static int make_memory(border_case *c)
{
    c->front.x = words_of(c, c->x, c->base.n[0]);
    c->front.y = words_of(c, c->y, c->base.n[1]);
    return c->front.x && c->front.y && !border_new_results(c) ? 0 : -1;
}

static int new_front(border_case *c)
{
    const uint64_t *n = c->base.n;
    const int32_t corner = 0;
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    d.body = c->kind->cells[c->sums];
    d.rows = n[0];
    d.cols = n[1];
    d.north_cell = d.west_cell = &c->kind->outside;
    d.corner = &corner;
    d.found = c->base.app->cells->waves[d.body].found_bytes ? c->front.found : NULL;
    d.x = app_front_array(&c->base, c->front.x, n[0], sizeof(int32_t));
    d.y = app_front_array(&c->base, c->front.y, n[1], sizeof(int32_t));
    d.last_row = app_front_array(&c->base, c->row, n[1], sizeof(int32_t));
    d.last_col = app_front_array(&c->base, c->column, n[0], sizeof(int32_t));
    d.cells = c->matrix ? app_front_array(&c->base, c->matrix, n[0], border_bytes(n[1])) : NULL;
    return d.x && d.y && d.last_row && d.last_col && (d.cells || !c->matrix) ? app_front_new(&c->base, &d) : -1;
}

int border_front_build(app_case *base, heddle_ctx *ctx)
{
    border_case *c = (border_case *)base;
    base->record = c->of_cell.p;
    base->record_bytes = c->of_cell.n_bytes;
    base->b[0] = base->b[1] = 0;
    c->read_more = read_more;
    return border_refuse_body(c) || make_memory(c) || border_front_reset(base) || app_fleet_open(base, ctx) ||
                   new_front(c)
               ? -1
               : 0;
}
