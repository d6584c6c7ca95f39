/* SPDX-License-Identifier: MIT */
/* wave_draft.h - a wave of cells under construction: what wave.c, wave_checks.c, wave_shape.c and wave_place.c share. Nobody else
 * includes it. */
#ifndef HD_ENGINE_WAVE_DRAFT_H
#define HD_ENGINE_WAVE_DRAFT_H

#include "engine/wave.h"

#define HD_WAVE_WARPS 4u /* default limit per block: more warps compete for registers */

/* A wave under construction. */
typedef struct hd_wave_draft {
    heddle_ctx *ctx;
    const heddle_table *table;
    const heddle_wave_desc *desc;
    const heddle_wave_info *info;
    hd_error *e;
    heddle_graph *graph;
    int is_again, is_tasks;                  /* a variant of an existing wave; hd_way_over makes it tiles */
    int is_blocks;                           /* warps go over bands, else host threads */
    uint32_t shape, lag, band_rows, n_warps; /* n_warps: bands per part */
    uint32_t tile;                           /* granules per tile; 0: a part covers its bands' whole length */
    uint32_t n_fields, n_passes, n_items;    /* an item is a pass over a field; items of a pass are contiguous */
    hd_wave_item *items;
    uint64_t n_groups;
    heddle_task *ends; /* last tile of each group; index of each item's first group */
    uint64_t *ends_at;
    hd_wave wave;
    uint8_t *block;
    uint64_t n_bands, items_at, found_at, of_items_at, gone_at, failures_at, stamps_at, far_at, carry_at, group_bytes,
        block_bytes; /* group_bytes: carry of a group */
} hd_wave_draft;

static inline int hd_is_stride(const heddle_wave_desc *d) { return d->whole_rows && d->whole_rows != d->rows; }
static inline int hd_is_last_stride(const heddle_wave_desc *d)
{
    return !hd_is_stride(d) || d->row_at + d->rows == d->whole_rows;
}

/* Of the field, before the desc's first row: so many rows are swept over, too. */
static inline uint64_t hd_rows_before(const hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    return m->info->sweeps && d->row_at ? d->sweeps ? d->sweeps : 1u : 0u;
}

static inline uint64_t hd_row_cells_of(const heddle_wave_desc *d, uint64_t cols)
{
    return d->row_cells ? d->row_cells : cols;
}

/* A stride hands on the lowest row of its last band, which has all its rows. */
static inline int hd_suits_stride(const hd_wave_draft *m, uint32_t band_rows)
{
    return hd_is_last_stride(m->desc) || m->desc->rows % band_rows == 0;
}

/* For threads, until a shape is chosen. */
static inline hd_kept hd_kept_of(const hd_wave_draft *m)
{
    const hd_kept kept = {m->e, m->table, m->desc, m->info, m->is_blocks ? &m->info->shapes[m->shape] : NULL};
    return kept;
}

/* Block-shared memory of a warp. */
static inline uint32_t hd_warp_bytes(const hd_wave_draft *m, const heddle_wave_shape *shape)
{
    const int by_rows = m->desc->cells && m->desc->layout == HEDDLE_LAYOUT_ROWS;
    return shape->warp_bytes + (by_rows ? shape->kept_bytes : 0u);
}

static inline uint32_t hd_granules_of(const hd_wave_draft *m, const hd_wave_item *x)
{
    return hd_wave_granules(x->cols, m->lag, m->info->neighbours & HEDDLE_NE ? 1u : 0u);
}

static inline uint32_t hd_groups_of(const hd_wave_draft *m, const hd_wave_item *x)
{
    return (x->n_bands + m->n_warps - 1u) / m->n_warps;
}

/* The tiles of a group that contain a part of its bands (hd_wave_span). Tile t begins t * m->tile granules along the item's
 * first band. */
typedef struct hd_tile_span {
    uint32_t first, end;
} hd_tile_span;

static inline hd_tile_span hd_tiles_of(const hd_wave_draft *m, const hd_wave_item *x, uint32_t group)
{
    const uint32_t lag = (m->lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE, band = group * m->n_warps;
    const uint32_t end = x->n_bands - band < m->n_warps ? x->n_bands : band + m->n_warps;
    hd_tile_span s = {0, 1};
    if (m->tile) {
        s.first = band * lag / m->tile;
        s.end = ((end - 1u) * lag + hd_granules_of(m, x) - 1u) / m->tile + 1u;
    }
    return s;
}

/* wave_checks.c: what the desc asks for, before the context's backend is known. */
heddle_status hd_wave_check(hd_wave_draft *m);
/* A stride's bands, once they are chosen. */
heddle_status hd_wave_check_bands(hd_wave_draft *m);

/* wave_shape.c: chooses bands, and warps of a block. */
heddle_status hd_wave_choose(hd_wave_draft *m);
/* Other ways to lay the wave out that the desc allows; appended to the list. */
void hd_wave_list_ways(const hd_wave_draft *m, hd_ways_over *ways);

/* wave_place.c: chooses the tiles' width, if the schedule runs tasks; lays out all items, and sets the fields of the wave that follow from
 * their sizes. */
heddle_status hd_wave_lay_out(hd_wave_draft *m);

#endif
