/* SPDX-License-Identifier: MIT */
/* layout.c - where a wave keeps its cells (core/layout.h): the layout that a desc asks for, its room, and conversion between
 * layouts.
 *
 * heddle_wave_convert runs a graph of the wave's own body, with pieces of the field as tasks: a table then needs no further
 * kernels. */
#include "engine/wave.h"

#define CONVERT_TEAM 128u /* default threads of a block */

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

heddle_status hd_layout_check(const hd_kept *m)
{
    const heddle_wave_desc *d = m->desc;
    uint32_t i;
    if (d->layout > HEDDLE_LAYOUT_SKEWED)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: layout %u is unknown", d->layout);
    if (d->layout == HEDDLE_LAYOUT_SKEWED && m->info->sweeps)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s is one of sweeps, whose field stands by rows",
                      m->table->bodies[d->body].name);
    if (d->layout == HEDDLE_LAYOUT_SKEWED && d->row_cells)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: row_cells is for cells by rows, and these are skewed");
    for (i = 0; d->row_cells && i < hd_wave_fields(m->desc); i++)
        if (d->row_cells < hd_wave_item_of(d, i).cols)
            return hd_say(m->e, HEDDLE_EINVAL,
                          "heddle_wave_new: a row of %llu cells, with row_cells = %llu to the next",
                          (unsigned long long)hd_wave_item_of(d, i).cols, (unsigned long long)d->row_cells);
    return HEDDLE_OK;
}

static heddle_wave_layout layout_by_rows(uint64_t rows, uint64_t cols, uint64_t row_cells)
{
    const heddle_wave_layout l = {rows, cols, row_cells ? row_cells : cols, 1, 1, 1, 0, 0, 1};
    return l;
}

/* The layout of a warp's bands in its shape. */
static heddle_wave_layout layout_of_warps(const hd_kept *m)
{
    heddle_wave_layout l = {.lanes = 32, .lane_rows = m->shape->rows, .step_columns = m->shape->columns};
    l.east = m->info->neighbours & HEDDLE_NE ? 1u : 0u;
    l.skew = m->shape->columns + m->shape->rows * l.east;
    l.together = HD_LAYOUT_TOGETHER(m->info->cell_bytes, m->shape->rows * m->shape->columns);
    return l;
}

heddle_wave_layout hd_layout_of(const hd_kept *m, const heddle_wave_item *x)
{
    heddle_wave_layout l;
    if (m->desc->layout == HEDDLE_LAYOUT_ROWS)
        return layout_by_rows(x->rows, x->cols, m->desc->row_cells);
    l = m->shape ? layout_of_warps(m) : hd_lone_layout(m->info->neighbours & HEDDLE_NE ? 2u : 1u);
    l.rows = x->rows;
    l.cols = x->cols;
    l.band_cells = (uint64_t)hd_layout_steps(&l) * hd_layout_step_cells(&l);
    return l;
}

/* A cell is aligned to the power of two in its size (at most 16), and so is a group of cells that is written together. */
static heddle_status check_alignment(const hd_kept *m, const heddle_wave_layout *l, const heddle_wave_item *x)
{
    /* by rows, or on threads, cells are written one by one */
    const uint32_t bytes = m->shape && l->lanes > 1 ? l->together * m->info->cell_bytes : m->info->cell_bytes;
    const uint32_t lowest = bytes & (~bytes + 1u), align = lowest < 16u ? lowest : 16u;
    if ((uintptr_t)m->desc->cells % align)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cells = %p is not aligned to %u bytes", m->desc->cells,
                      align);
    if (x->cells_at % l->together)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cells_at = %llu; skewed, it is a multiple of %u",
                      (unsigned long long)x->cells_at, l->together);
    return HEDDLE_OK;
}

/* Is there room behind the array's first byte, as far as addresses go? heddle_wave_cells has no overflow then. */
static int is_addressed(const hd_kept *m, const heddle_wave_layout *l, const heddle_wave_item *x)
{
    const uint64_t most = (UINT64_MAX - (uintptr_t)m->desc->cells) / m->info->cell_bytes;
    const uint64_t bands = (l->rows + l->lanes * l->lane_rows - 1u) / (l->lanes * l->lane_rows);
    return x->cells_at <= most && l->band_cells <= (most - x->cells_at) / bands;
}

static heddle_status check_room(const hd_kept *m, const heddle_wave_layout *l, const heddle_wave_item *x)
{
    const uint64_t n = m->desc->n_cells, need = heddle_wave_cells(l);
    if (!is_addressed(m, l, x))
        return hd_say(m->e, HEDDLE_ERANGE,
                      "heddle_wave_new: a field of %llu by %llu cells from cell %llu on goes beyond the last address",
                      (unsigned long long)x->rows, (unsigned long long)x->cols, (unsigned long long)x->cells_at);
    if (n && (x->cells_at > n || need > n - x->cells_at))
        return hd_say(
            m->e, HEDDLE_EINVAL,
            "heddle_wave_new: a field of %llu by %llu has %llu cells from cell %llu on, and the array has %llu",
            (unsigned long long)x->rows, (unsigned long long)x->cols, (unsigned long long)need,
            (unsigned long long)x->cells_at, (unsigned long long)n);
    return HEDDLE_OK;
}

/* The range of the array that an item uses. */
static heddle_range range_of(const hd_kept *m, const heddle_wave_layout *l, const heddle_wave_item *x)
{
    const uint32_t bytes = m->info->cell_bytes;
    const uint8_t *base = (const uint8_t *)m->desc->cells + x->cells_at * bytes;
    if (l->band_cells == l->cols || m->desc->layout == HEDDLE_LAYOUT_SKEWED)
        return heddle_range_of(base, heddle_wave_cells(l) * bytes, 1, 0, HEDDLE_MODE_OUT);
    return heddle_range_of(base, l->cols * bytes, l->rows, l->band_cells * bytes, HEDDLE_MODE_OUT);
}

/* A joiner for many overlapping items: one of them is enough. */
static uint32_t first_of(void *self, const uint32_t *before, uint64_t n)
{
    (void)self, (void)n;
    return before[0];
}

/* Notes item i's range, as a graph does for a task. *other: an overlapping item, else HD_NONE. */
static heddle_status note_range(const hd_kept *m, hd_ranges *r, const heddle_range *range, uint32_t i, uint32_t *other)
{
    const hd_joiner joiner = {NULL, first_of};
    hd_list before = {0};
    uint32_t area;
    int failed;
    *other = HD_NONE;
    HD_TRY(hd_range_check(range, m->e));
    failed = hd_ranges_gather(r, range, 1, &area, &before, &joiner);
    if (!failed && before.n)
        *other = *(const uint32_t *)before.at;
    else if (!failed)
        failed = hd_ranges_note(r, range, 1, &area, i);
    hd_list_clear(&before);
    return failed ? hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory") : HEDDLE_OK;
}

static heddle_status check_overlap(const hd_kept *m)
{
    hd_ranges *r = hd_wave_fields(m->desc) > 1 ? hd_ranges_new() : NULL;
    heddle_status s = HEDDLE_OK;
    uint32_t i, other;
    if (!r)
        return hd_wave_fields(m->desc) > 1 ? hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory") : HEDDLE_OK;
    for (i = 0; s == HEDDLE_OK && i < hd_wave_fields(m->desc); i++) {
        const heddle_wave_item x = hd_wave_item_of(m->desc, i);
        const heddle_wave_layout l = hd_layout_of(m, &x);
        const heddle_range range = range_of(m, &l, &x);
        s = note_range(m, r, &range, i, &other);
        if (s == HEDDLE_OK && other != HD_NONE)
            s = hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: items %u and %u have cells in the same place", other, i);
    }
    hd_ranges_free(r);
    return s;
}

heddle_status hd_layout_check_cells(const hd_kept *m)
{
    uint32_t i;
    if (!m->desc->cells)
        return m->desc->layout == HEDDLE_LAYOUT_ROWS
                   ? HEDDLE_OK
                   : hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a skewed layout, and cells is NULL");
    for (i = 0; i < hd_wave_fields(m->desc); i++) {
        const heddle_wave_item x = hd_wave_item_of(m->desc, i);
        const heddle_wave_layout l = hd_layout_of(m, &x);
        HD_TRY(check_alignment(m, &l, &x));
        HD_TRY(check_room(m, &l, &x));
    }
    return check_overlap(m);
}

/* ---- from one layout to another --------------------------------------------------------------------------------------- */

/* Is l a layout that heddle_wave_get_layout can produce? */
static int is_layout(const heddle_wave_layout *l)
{
    return l->rows && l->cols && l->rows <= HD_WAVE_MOST && l->cols <= HD_WAVE_MOST && l->lanes && l->lane_rows &&
           l->step_columns && l->together && l->lanes <= 32u && l->lane_rows <= 64u && l->step_columns <= 64u &&
           l->east <= 1u && l->skew <= 128u && l->lane_rows * l->step_columns % l->together == 0 &&
           l->band_cells >= (uint64_t)hd_layout_steps(l) * hd_layout_step_cells(l);
}

static heddle_status check_convert(hd_error *e, const heddle_body_info *body, const heddle_wave_info *info,
                                   const hd_wave_convert *v)
{
    if (info->is_tile || info->sweeps)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_convert: %s is no cell that can be kept skewed", body->name);
    if (!v->from || !v->to)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_convert: %s is NULL", v->from ? "to" : "from");
    if (!is_layout(&v->from_layout) || !is_layout(&v->to_layout))
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_convert: layout %s is none that heddle_wave_get_layout made",
                      is_layout(&v->from_layout) ? "to" : "from");
    if (v->from_layout.rows != v->to_layout.rows || v->from_layout.cols != v->to_layout.cols)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_convert: from %llu by %llu cells to %llu by %llu",
                      (unsigned long long)v->from_layout.rows, (unsigned long long)v->from_layout.cols,
                      (unsigned long long)v->to_layout.rows, (unsigned long long)v->to_layout.cols);
    return HEDDLE_OK;
}

/* Adds one independent task per piece; under a wave schedule they are taken in order. */
static heddle_status add_pieces(heddle_graph *g, uint32_t body, const hd_wave_convert *v, const void *block)
{
    hd_wave_part p = {.convert = block};
    uint64_t row, col;
    HD_TRY(hd_wave_check_schedule(g->ctx, g->g.table, &g->g.table->waves[body], &g->g.in_order));
    if (g->ctx->config.backend == HEDDLE_CUDA && !g->ctx->config.team_size)
        HD_TRY(heddle_graph_set_team_size(g, CONVERT_TEAM));
    for (row = 0; row < v->to_layout.rows; row += HD_CONVERT_ROWS)
        for (col = 0; col < v->to_layout.cols; col += HD_CONVERT_COLUMNS) {
            p.band = (uint32_t)row;
            p.first = (uint32_t)col;
            HD_TRY(heddle_graph_add(g, body, &p, sizeof p, NULL, 0, NULL));
        }
    return heddle_graph_freeze(g);
}

/* Runs with zeroed params, since moving cells needs none. */
static heddle_status run_pieces(heddle_graph *g)
{
    const size_t n_bytes = g->g.table->params_bytes;
    void *params = n_bytes ? hd_new(n_bytes) : NULL;
    heddle_status s;
    if (!params && n_bytes)
        return hd_say(&g->ctx->error, HEDDLE_ENOMEM, "heddle_wave_convert: out of memory");
    s = heddle_graph_run(g->ctx, g, params, n_bytes);
    hd_delete(params, n_bytes);
    return s;
}

static heddle_status convert(heddle_ctx *ctx, const heddle_table *table, uint32_t body, const hd_wave_convert *v)
{
    heddle_graph *g = NULL;
    void *block = NULL;
    heddle_status s = heddle_graph_new(ctx, table, &g);
    s = s == HEDDLE_OK ? heddle_mem_new(ctx, sizeof *v, &block) : s;
    s = s == HEDDLE_OK ? heddle_mem_write(ctx, block, v, sizeof *v) : s;
    s = s == HEDDLE_OK ? add_pieces(g, body, v, block) : s;
    s = s == HEDDLE_OK ? run_pieces(g) : s;
    heddle_graph_free(g);
    heddle_mem_free(ctx, block);
    return s;
}

HEDDLE_API heddle_status heddle_wave_convert(heddle_ctx *ctx, const heddle_table *table, uint32_t body,
                                             const heddle_wave_layout *from_layout, const void *from,
                                             const heddle_wave_layout *to_layout, void *to)
{
    const heddle_wave_layout *one = from_layout ? from_layout : to_layout;
    hd_wave_convert v = {.from = from, .to = to};
    HD_TRY(hd_ctx_check(ctx));
    HD_TRY(hd_wave_check_body(&ctx->error, "heddle_wave_convert", table, body));
    if (!one)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_wave_convert: both layouts are NULL");
    v.from_layout = from_layout ? *from_layout : layout_by_rows(one->rows, one->cols, 0);
    v.to_layout = to_layout ? *to_layout : layout_by_rows(one->rows, one->cols, 0);
    HD_TRY(check_convert(&ctx->error, &table->bodies[body], &table->waves[body], &v));
    return convert(ctx, table, body, &v);
}
