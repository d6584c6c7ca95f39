/* SPDX-License-Identifier: MIT */
/* wave_place.c - the items of a wave of cells: passes over fields, with their rows, bands, parts, and places in what bands hand on. */
#include "engine/wave_draft.h"

#define TILE_COLS 512u /* default columns of a tile */

/* Chooses the tiles' width, if the schedule runs tasks. */
static heddle_status choose_tiles(hd_wave_draft *m)
{
    const uint64_t cols = m->desc->tile_cols ? m->desc->tile_cols : TILE_COLS;
    int is_in_order;
    HD_TRY(hd_wave_check_schedule(m->ctx, m->table, m->info, &is_in_order));
    if (is_in_order && !m->is_tasks)
        return HEDDLE_OK;
    m->tile = (uint32_t)((cols + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE);
    m->group_bytes =
        hd_wave_lines(m->is_blocks ? (uint64_t)m->info->shapes[m->shape].carry_bytes * m->n_warps : sizeof(hd_lone));
    return HEDDLE_OK;
}

static uint64_t parts_of(const hd_wave_draft *m, const hd_wave_item *x)
{
    uint64_t n = 0;
    uint32_t group;
    for (group = 0; group < hd_groups_of(m, x); group++) {
        const hd_tile_span s = hd_tiles_of(m, x, group);
        n += s.end - s.first;
    }
    return n;
}

static void place_item(hd_wave_draft *m, hd_wave_item *to, const heddle_wave_item *from)
{
    const heddle_wave_desc *d = m->desc;
    const hd_kept kept = hd_kept_of(m);
    const heddle_wave_layout layout = hd_layout_of(&kept, from);
    to->x_at = from->x_at;
    to->y_at = from->y_at;
    to->cells_at = from->cells_at;
    to->row_cells = hd_row_cells_of(d, from->cols);
    to->band_cells = d->layout == HEDDLE_LAYOUT_SKEWED ? layout.band_cells : 0u;
    to->north_at = from->north_at;
    to->west_at = from->west_at;
    to->last_row_at = from->last_row_at;
    to->last_col_at = from->last_col_at;
    to->rows = (uint32_t)from->rows;
    to->cols = (uint32_t)from->cols;
    to->n_bands = (to->rows + m->band_rows - 1u) / m->band_rows;
}

/* Counts passes and items; the last pass may have fewer sweeps. */
static heddle_status count_items(hd_wave_draft *m)
{
    const uint32_t sweeps = m->desc->sweeps ? m->desc->sweeps : 1u, together = m->info->sweeps;
    m->n_passes = together ? (sweeps - 1u) / together + 1u : 1u;
    if ((uint64_t)m->n_passes * m->n_fields > HEDDLE_MAX_TASKS)
        return hd_say(m->e, HEDDLE_ERANGE, "heddle_wave_new: %u passes over %u fields; %llu in all are the most",
                      m->n_passes, m->n_fields, (unsigned long long)HEDDLE_MAX_TASKS);
    m->n_items = m->n_passes * m->n_fields;
    m->items = hd_new(m->n_items * sizeof *m->items);
    return m->items ? HEDDLE_OK : hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
}

/* The rows of a pass of sweeps. In a stride each pass goes over rows further to the north: it reads what the pass before has left. */
static void place_rows(const hd_wave_draft *m, hd_wave_item *x)
{
    const heddle_wave_desc *d = m->desc;
    const uint32_t whole = hd_is_stride(d) ? (uint32_t)d->whole_rows : x->rows, at = (uint32_t)d->row_at;
    const uint32_t up = hd_is_stride(d) ? x->sweeps_before : 0u, end = hd_is_last_stride(d) ? whole : at + x->rows - up;
    x->row_at = at - up;
    x->absent_rows = at ? 0u : up;
    x->whole_rows = whole;
    x->field_rows = end - (at ? at - up : 0u);
    x->rows = x->absent_rows + x->field_rows + (hd_is_last_stride(d) ? x->sweeps : 0u);
    if (at)
        x->cells_at += (hd_rows_before(m) - up) * x->row_cells;
}

/* Completes item i, a pass over a field: a pass of sweeps has more rows and columns than its field. */
static void place_pass(const hd_wave_draft *m, hd_wave_item *x, uint32_t i)
{
    const uint32_t sweeps = m->desc->sweeps ? m->desc->sweeps : 1u, together = m->info->sweeps;
    const uint32_t pass = i / m->n_fields, far = m->n_fields * HD_WAVE_FAR_ROWS;
    x->before = pass ? i - m->n_fields : HD_NONE;
    x->field = i % m->n_fields;
    x->sweeps_before = pass * together;
    x->frees = pass >= HD_WAVE_FAR_ROWS ? i - far : HD_NONE;
    x->row_at = (uint32_t)m->desc->row_at;
    if (!together)
        return;
    x->sweeps = pass + 1u < m->n_passes ? together : sweeps - pass * together;
    x->field_cols = x->cols;
    x->cols += x->sweeps;
    place_rows(m, x);
    x->n_bands = (x->rows + m->band_rows - 1u) / m->band_rows;
}

/* Lays out all items, and sets the fields of the wave that follow from their sizes. */
static heddle_status lay_out(hd_wave_draft *m)
{
    uint64_t n_bands = 0, n_tags = 0, n_parts = 0, n_positions = 0, n_item_parts;
    uint32_t i;
    HD_TRY(count_items(m));
    for (i = 0; i < m->n_items; i++) {
        const heddle_wave_item field = hd_wave_item_of(m->desc, i % m->n_fields);
        hd_wave_item *x = &m->items[i];
        place_item(m, x, &field);
        place_pass(m, x, i);
        x->found_at = n_bands;
        x->words_at = x->frees == HD_NONE ? n_positions : m->items[x->frees].words_at;
        x->tag = (uint32_t)n_tags;
        n_bands += x->n_bands;
        n_tags += (uint64_t)x->n_bands * hd_granules_of(m, x);
        m->n_groups += hd_groups_of(m, x);
        /* A single part hands on nothing; of a last stride later passes have more parts. */
        if (x->frees == HD_NONE && (hd_groups_of(m, x) > 1u || hd_is_stride(m->desc)))
            n_positions += (uint64_t)hd_granules_of(m, x) * HD_WAVE_GRANULE;
        if (n_tags > UINT32_MAX / 4u)
            return hd_say(
                m->e, HEDDLE_ERANGE,
                "heddle_wave_new: the fields have too many cells for one wave; give it fewer items or sweeps");
        n_item_parts = parts_of(m, x);
        x->n_parts = (uint32_t)n_item_parts;
        n_parts += n_item_parts;
    }
    if (n_parts > HEDDLE_MAX_TASKS)
        return hd_say(m->e, HEDDLE_ERANGE, "heddle_wave_new: %llu tiles of %u columns; a graph has at most %llu tasks",
                      (unsigned long long)n_parts, m->tile * HD_WAVE_GRANULE, (unsigned long long)HEDDLE_MAX_TASKS);
    m->n_bands = n_bands;
    m->wave.n_gone = m->n_passes > 1 ? (uint32_t)n_bands : 0;
    m->wave.n_tags = (uint32_t)n_tags + 1u;
    m->wave.n_items = m->n_items;
    m->wave.n_fields = m->n_fields;
    m->wave.lag = m->lag;
    m->wave.lane_rows = m->is_blocks ? m->info->shapes[m->shape].rows : 0;
    m->wave.step_columns = m->is_blocks ? m->info->shapes[m->shape].columns : 0;
    m->wave.n_warps = m->n_warps;
    m->wave.band_rows = m->band_rows;
    m->wave.n_far = n_positions * (m->info->south_bytes / 4u);
    m->block_bytes = m->tile ? m->n_groups * m->group_bytes : 0;
    return HEDDLE_OK;
}

heddle_status hd_wave_lay_out(hd_wave_draft *m)
{
    HD_TRY(choose_tiles(m));
    return lay_out(m);
}
