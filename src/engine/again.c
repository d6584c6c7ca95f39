/* SPDX-License-Identifier: MIT */
/* again.c - makes a wave again in another way. A copy of its desc stays with the graph, so that `auto` can make variants
 * (run/variants.h) long after the arrays that heddle_wave_new copied are freed.
 *
 * Host data of the desc is copied: items, and cells of constant borders. The rest is memory of the context, which the user
 * keeps while the graph lives. */
#include "engine/wave.h"

#include <stdio.h>
#include <string.h>

typedef struct again {
    hd_wave_of wave; /* its desc points to the next field */
    heddle_wave_desc desc;
    heddle_wave_item *items;
    uint32_t cells[4][HD_CELL_WORDS]; /* north, west, corner, east */
    hd_wave_maker *make;
    hd_ways_over ways;
} again;

void hd_way_add(hd_ways_over *ways, const hd_way_over *way)
{
    if (ways->n < HD_MOST_VARIANTS)
        ways->at[ways->n++] = *way;
}

int hd_wave_may_be_tasks(const hd_wave_of *w)
{
    const heddle_wave_desc *d = w->desc;
    if (d->north.count || d->west.count || d->last_col_count || d->above || d->below)
        return 0;
    return w->ctx->config.backend == HEDDLE_CPU || w->table->waves[d->body].kernels & HD_KERNELS_TASKS;
}

/* ---- the copy ------------------------------------------------------------------------------------------------------- */

static const void *copy_cell(again *a, uint32_t i, const void *cell, uint32_t n_bytes)
{
    if (!cell)
        return NULL;
    memcpy(a->cells[i], cell, n_bytes);
    return a->cells[i];
}

static void free_again(void *self)
{
    again *a = self;
    hd_delete(a->items, a->desc.n_items * sizeof *a->items);
    hd_delete(a, sizeof *a);
}

static again *copy(const hd_wave_of *w)
{
    const heddle_wave_desc *d = w->desc;
    const uint32_t n_bytes = w->table->waves[d->body].cell_bytes;
    again *a = hd_new(sizeof *a);
    if (!a)
        return NULL;
    a->wave = *w;
    a->desc = *d;
    a->wave.desc = &a->desc;
    a->desc.n_items = d->items ? d->n_items : 0;
    a->desc.north.constant = copy_cell(a, 0, d->north.constant, n_bytes);
    a->desc.west.constant = copy_cell(a, 1, d->west.constant, n_bytes);
    a->desc.corner = copy_cell(a, 2, d->corner, n_bytes);
    a->desc.east = copy_cell(a, 3, d->east, n_bytes);
    if (!d->items)
        return a;
    a->desc.items = a->items = hd_new(d->n_items * sizeof *a->items);
    if (!a->items) {
        free_again(a);
        return NULL;
    }
    memcpy(a->items, d->items, d->n_items * sizeof *a->items);
    return a;
}

/* ---- a variant ------------------------------------------------------------------------------------------------------ */

static heddle_status make(void *self, uint32_t i, heddle_graph **out)
{
    const again *a = self;
    const hd_way_over *way = &a->ways.at[i];
    heddle_wave_desc d = a->desc;
    hd_wave_of w = a->wave;
    w.desc = &d;
    d.lane_rows = way->lane_rows ? way->lane_rows : d.lane_rows;
    d.step_columns = way->step_columns ? way->step_columns : d.step_columns;
    d.n_warps = way->n_warps ? way->n_warps : d.n_warps;
    d.tile_cols = way->tile_cols ? way->tile_cols : d.tile_cols;
    return a->make(&w, (int)way->is_tasks, out);
}

/* "wave R4 C2, 2 warps", "tiles of 256 columns", "wave". */
static void name(const void *self, uint32_t i, char out[HD_VARIANT_NAME])
{
    const hd_way_over *way = &((const again *)self)->ways.at[i];
    if (way->tile_cols)
        snprintf(out, HD_VARIANT_NAME, "tiles of %u columns", way->tile_cols);
    else if (way->lane_rows)
        snprintf(out, HD_VARIANT_NAME, "wave R%u C%u, %u warp%s", way->lane_rows, way->step_columns, way->n_warps,
                 way->n_warps == 1 ? "" : "s");
    else
        snprintf(out, HD_VARIANT_NAME, "%s", way->is_tasks ? "tiles" : "wave");
}

static const hd_variants_kind kind = {.make = make, .name = name, .drop = heddle_graph_free, .free_self = free_again};

heddle_status hd_wave_offer(heddle_graph *g, const hd_wave_of *w, const hd_ways_over *ways, hd_wave_maker *maker)
{
    again *a;
    if (ways->n < 2)
        return HEDDLE_OK;
    a = copy(w);
    if (a) {
        a->make = maker;
        a->ways = *ways;
        g->variants = hd_variants_new(&kind, a, g, ways->n);
    }
    if (a && !g->variants)
        free_again(a);
    return g->variants ? HEDDLE_OK : hd_say(&w->ctx->error, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
}
