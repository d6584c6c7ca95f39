/* SPDX-License-Identifier: MIT */
/* wave.c - heddle_wave_new: turns a description of a wavefront into a graph of parts. Each part is some bands of rows, and
 * workers take parts in order (core/wave.h).
 *
 * The graph has no edges: a part waits inside its body for the words of the one before. All that parts read of the wave is
 * one block of the context's memory, owned by the graph: the wave, the state that changes from run to run, its items, the
 * results of bands, and the rows of words. */
#include "engine/wave_draft.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static hd_wave_maker make_again;

uint32_t hd_wave_fields(const heddle_wave_desc *d) { return d->items ? d->n_items : 1u; }

heddle_wave_item hd_wave_item_of(const heddle_wave_desc *d, uint32_t i)
{
    const heddle_wave_item one = {.rows = d->rows, .cols = d->cols};
    return d->items ? d->items[i] : one;
}

/* The serial backend returns only after the run is over. */
static heddle_status check_counts(hd_wave_draft *m)
{
    if ((m->desc->north.count || m->desc->west.count) && m->ctx->config.backend == HEDDLE_SERIAL)
        return hd_say(
            m->e, HEDDLE_ENODEV,
            "heddle_wave_new: a border with a count, and the serial backend cannot be stopped while it waits");
    return HEDDLE_OK;
}

/* ---- its memory ---------------------------------------------------------------------------------------------------- */

/* Free bytes of the device, or of the host. */
static uint64_t free_bytes(const heddle_config *c)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    const long n_pages = sysconf(_SC_AVPHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (c->backend == HEDDLE_CUDA && heddle_device_get(c->backend, c->device, &device) == HEDDLE_OK)
        return device.free_bytes;
    return n_pages < 0 || page_bytes < 0 ? 0u : (uint64_t)n_pages * (uint64_t)page_bytes;
}

heddle_status hd_wave_mem_new(heddle_ctx *ctx, uint64_t n_bytes, void **out)
{
    const heddle_status s = heddle_mem_new(ctx, n_bytes, out);
    if (s != HEDDLE_ENOMEM)
        return s;
    return hd_say(&ctx->error, HEDDLE_ENOMEM,
                  "heddle_wave_new: what bands hand on and keep takes %llu bytes, and %llu are free",
                  (unsigned long long)n_bytes, (unsigned long long)free_bytes(&ctx->config));
}

static void set_cell(const hd_wave_draft *m, uint32_t to[HD_CELL_WORDS], const void *cell)
{
    if (cell)
        memcpy(to, cell, m->info->cell_bytes);
}

/* Of outer rows. */
static uint64_t outer_cols(const heddle_wave_info *info, uint64_t cols) { return cols + info->sweeps; }

static void fill_wave(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    hd_wave *w = &m->wave;
    w->items = (const hd_wave_item *)(const void *)(m->block + m->items_at);
    w->words = (hd_wave_words *)(void *)(m->block + hd_wave_lines(sizeof *w));
    w->found = d->found || d->found_each ? m->block + m->found_at : NULL;
    w->found_each = d->found_each;
    w->result = d->found;
    w->far = (hd_pair_word *)(void *)(m->block + m->far_at);
    w->x = d->x;
    w->y = d->y;
    w->of_items = (hd_item_words *)(void *)(m->block + m->of_items_at);
    w->gone = (uint32_t *)(void *)(m->block + m->gone_at);
    w->failures = m->info->fails ? (hd_wave_failure *)(void *)(m->block + m->failures_at) : NULL;
    w->stamps = m->tile ? NULL : (uint64_t *)(void *)(m->block + m->stamps_at);
    if (m->info->sweeps)
        w->field = (uint8_t *)d->cells - hd_rows_before(m) * m->items->row_cells * m->info->cell_bytes;
    else
        w->cells = d->cells;
    w->north = d->north.array;
    w->west = d->west.array;
    w->last_row = d->last_row;
    w->last_col = d->last_col;
    w->north_count = d->north.count;
    w->west_count = d->west.count;
    w->last_col_count = d->last_col_count;
    w->above = d->above;
    w->below = d->below;
    w->outer_cols = outer_cols(m->info, d->cols);
    set_cell(m, w->north_cell, d->north.constant);
    set_cell(m, w->west_cell, d->west.constant);
    set_cell(m, w->corner, d->corner);
    set_cell(m, w->east_cell, d->east);
}

static heddle_status clear(heddle_ctx *ctx, void *p, uint64_t n_bytes)
{
    const uint64_t most = 1u << 20, piece = n_bytes < most ? n_bytes : most;
    void *zeros = n_bytes ? hd_new(piece) : NULL;
    heddle_status s = HEDDLE_OK;
    uint64_t at;
    if (!zeros && n_bytes)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "a wave's words: out of memory");
    for (at = 0; s == HEDDLE_OK && at < n_bytes; at += piece)
        s = heddle_mem_write(ctx, (uint8_t *)p + at, zeros, n_bytes - at < piece ? n_bytes - at : piece);
    hd_delete(zeros, piece);
    return s;
}

/* Clears the tags of all far rows, and every band's progress word. */
static heddle_status clear_words(heddle_ctx *ctx, const hd_wave *wave)
{
    HD_TRY(clear(ctx, wave->gone, wave->n_gone * sizeof *wave->gone));
    return clear(ctx, wave->far, wave->n_far * sizeof *wave->far);
}

/* Writes the wave's block from a host copy, then clears the far rows. */
static heddle_status write_block(hd_wave_draft *m)
{
    uint8_t *copy = hd_new(m->far_at);
    heddle_status s;
    if (!copy)
        return hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
    memcpy(copy, &m->wave, sizeof m->wave);
    memcpy(copy + m->items_at, m->items, m->n_items * sizeof *m->items);
    s = heddle_mem_write(m->ctx, m->block, copy, m->far_at);
    hd_delete(copy, m->far_at);
    return s == HEDDLE_OK ? clear_words(m->ctx, &m->wave) : s;
}

static heddle_status make_block(hd_wave_draft *m)
{
    m->items_at = hd_wave_lines(sizeof(hd_wave)) + hd_wave_lines(sizeof(hd_wave_words));
    m->found_at = m->items_at + hd_wave_lines(m->n_items * sizeof *m->items);
    m->of_items_at = m->found_at + hd_wave_lines(m->n_bands * m->info->found_bytes);
    m->gone_at = m->of_items_at + hd_wave_lines(m->n_items * sizeof *m->wave.of_items);
    m->failures_at = m->gone_at + hd_wave_lines(m->wave.n_gone * sizeof *m->wave.gone);
    m->stamps_at = m->failures_at + hd_wave_lines(m->info->fails ? m->n_bands * sizeof *m->wave.failures : 0u);
    m->far_at = m->stamps_at + hd_wave_lines(m->tile ? 0 : 2u * m->n_bands * sizeof *m->wave.stamps);
    m->carry_at = hd_wave_lines(m->far_at + m->wave.n_far * sizeof(hd_pair_word));
    m->block_bytes += m->carry_at;
    HD_TRY(hd_wave_mem_new(m->ctx, m->block_bytes, (void **)&m->block));
    fill_wave(m);
    return write_block(m);
}

/* ---- its graph ------------------------------------------------------------------------------------------------------ */

/* The part of all bands of a group. */
static hd_wave_part part_of(const hd_wave_draft *m, uint32_t item, uint32_t group)
{
    const hd_wave_item *x = &m->items[item];
    hd_wave_part p = {.wave = (const hd_wave *)(const void *)m->block, .item = item, .shape = m->shape};
    p.band = group * m->n_warps;
    p.n_bands = x->n_bands - p.band < m->n_warps ? x->n_bands - p.band : m->n_warps;
    p.tag = m->items[item].tag + p.band * hd_granules_of(m, x);
    p.cols = x->cols;
    return p;
}

static hd_part_span span_of(const void *args)
{
    const hd_wave_part *p = args;
    const hd_part_span span = {p->item, p->band, p->cols, HD_WAVE_GRANULE};
    return span;
}

static heddle_status add_part(hd_wave_draft *m, const hd_wave_part *p, heddle_task *out)
{
    return heddle_graph_add(m->graph, m->desc->body, p, sizeof *p, NULL, 0, out);
}

/* Adds the pass that begins with item `first`. Interleaves its fields, so that with many of them no part waits for the one
 * just before it. */
static heddle_status add_pass(hd_wave_draft *m, uint32_t first)
{
    uint32_t group, item, most = 0;
    for (item = first; item < first + m->n_fields; item++)
        if (hd_groups_of(m, &m->items[item]) > most)
            most = hd_groups_of(m, &m->items[item]);
    for (group = 0; group < most; group++)
        for (item = first; item < first + m->n_fields; item++)
            if (group < hd_groups_of(m, &m->items[item])) {
                const hd_wave_part p = part_of(m, item, group);
                HD_TRY(add_part(m, &p, NULL));
            }
    return HEDDLE_OK;
}

static heddle_status add_parts(hd_wave_draft *m)
{
    uint32_t pass;
    for (pass = 0; pass < m->n_passes; pass++)
        HD_TRY(add_pass(m, pass * m->n_fields));
    return HEDDLE_OK;
}

/* Makes the task wait for the last tile of a group, clipped to the item's last group. */
static heddle_status add_end_edge(hd_wave_draft *m, heddle_task task, uint32_t item, uint32_t group)
{
    const uint32_t last = hd_groups_of(m, &m->items[item]) - 1u;
    return heddle_graph_add_edge(m->graph, task, m->ends[m->ends_at[item] + (group < last ? group : last)]);
}

/* A group of a pass begins when its bands and the group below have finished the pass before; the lower group's last tile
 * follows the upper one's. A pass begins when all bands of the pass that used its far row have ended. */
static heddle_status add_pass_edges(hd_wave_draft *m, heddle_task task, uint32_t item, uint32_t group)
{
    const hd_wave_item *x = &m->items[item];
    if (x->before != HD_NONE)
        HD_TRY(add_end_edge(m, task, x->before, group + 1u));
    if (x->frees != HD_NONE && group == 0)
        HD_TRY(add_end_edge(m, task, x->frees, HD_NONE));
    return HEDDLE_OK;
}

/* Adds the tiles of a group; *begin is the first tile of the group above. Each waits for the tile to its left and the one
 * above. Where the group above has ended, its last tile has already been waited for. */
static heddle_status add_group(hd_wave_draft *m, uint32_t item, uint32_t group, uint8_t *carry, heddle_task *begin)
{
    const hd_tile_span s = hd_tiles_of(m, &m->items[item], group);
    const hd_tile_span above = group ? hd_tiles_of(m, &m->items[item], group - 1u) : (hd_tile_span){0, 0};
    hd_wave_part p = part_of(m, item, group);
    heddle_task task = 0, first = 0;
    uint32_t t;
    p.carry = carry;
    for (t = s.first; t < s.end; t++) {
        p.begins = t == s.first;
        p.first = t * m->tile;
        p.end = p.first + m->tile;
        HD_TRY(add_part(m, &p, &task));
        if (p.begins) {
            first = task;
            HD_TRY(add_pass_edges(m, task, item, group));
        } else
            HD_TRY(heddle_graph_add_edge(m->graph, task, task - 1u));
        if (group && (p.begins || t < above.end))
            HD_TRY(heddle_graph_add_edge(m->graph, task, *begin + (t < above.end ? t : above.end - 1u) - above.first));
    }
    *begin = first;
    m->ends[m->ends_at[item] + group] = task;
    return HEDDLE_OK;
}

static heddle_status add_tiles(hd_wave_draft *m)
{
    uint8_t *carry = m->block + m->carry_at;
    uint32_t item, group;
    heddle_task begin = 0;
    m->ends = hd_new(m->n_groups * sizeof *m->ends);
    m->ends_at = hd_new(m->n_items * sizeof *m->ends_at);
    if (!m->ends || !m->ends_at)
        return hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
    for (item = 0; item < m->n_items; item++) {
        m->ends_at[item] = item ? m->ends_at[item - 1u] + hd_groups_of(m, &m->items[item - 1u]) : 0;
        for (group = 0; group < hd_groups_of(m, &m->items[item]); group++, carry += m->group_bytes)
            HD_TRY(add_group(m, item, group, carry, &begin));
    }
    return HEDDLE_OK;
}

static heddle_status make_graph(hd_wave_draft *m)
{
    const uint32_t body = m->desc->body;
    const uint64_t n_bytes =
        m->is_blocks ? (uint64_t)hd_warp_bytes(m, &m->info->shapes[m->shape]) * m->n_warps : sizeof(hd_lone);
    m->graph->g.in_order = !m->tile;
    if (!m->tile)
        m->graph->g.bands = (hd_bands){m->n_warps, m->n_fields, span_of};
    HD_TRY(heddle_graph_set_shared_bytes(m->graph, body, (uint32_t)n_bytes));
    if (m->is_blocks)
        HD_TRY(heddle_graph_set_team_size(m->graph, 32u * m->n_warps));
    HD_TRY(m->tile ? add_tiles(m) : add_parts(m));
    return heddle_graph_freeze(m->graph);
}

/* After a run that ended badly: keeps its words from being taken for words of the next run. */
static heddle_status start_anew(heddle_graph *g)
{
    const hd_wave *far_wave = g->own;
    hd_wave wave;
    hd_wave_words words;
    int wraps, is_measured;
    HD_TRY(heddle_mem_read(g->ctx, &wave, far_wave, sizeof wave));
    HD_TRY(heddle_mem_read(g->ctx, &words, wave.words, sizeof words));
    is_measured = words.base == words.measured;
    words.base = hd_wave_base_after(&wave, words.base, &wraps);
    if (is_measured) /* the failed run was to be measured: measure the next */
        words.measured = words.base;
    words.done = words.failed = words.first.code = 0;
    memset(words.halted, 0, sizeof words.halted);
    HD_TRY(clear(g->ctx, wave.of_items, wave.n_items * sizeof *wave.of_items));
    if (wraps)
        HD_TRY(clear_words(g->ctx, &wave));
    return heddle_mem_write(g->ctx, wave.words, &words, sizeof words);
}

heddle_status hd_wave_read(heddle_graph *g, const char *call, hd_wave *wave)
{
    hd_error *e = &g->ctx->error;
    if (g->start_anew != start_anew)
        return hd_say(e, HEDDLE_EINVAL, "%s: the graph is no wave of cells", call);
    HD_TRY(heddle_mem_read(g->ctx, wave, g->own, sizeof *wave));
    if (!wave->stamps)
        return hd_say(e, HEDDLE_EINVAL, "%s: the wave is run as a graph of tiles, and only schedule wave is measured",
                      call);
    return HEDDLE_OK;
}

static void free_own(heddle_graph *g) { heddle_mem_free(g->ctx, g->own); }

static int read_item(heddle_graph *g, uint32_t i, hd_item_at *out)
{
    hd_wave wave;
    hd_wave_item item;
    if (heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) != HEDDLE_OK ||
        heddle_mem_read(g->ctx, &item, wave.items + i, sizeof item) != HEDDLE_OK)
        return 0;
    *out = (hd_item_at){item.field, item.sweeps ? i / wave.n_fields + 1u : 0u, item.found_at};
    return 1;
}

static void say_halt(heddle_graph *g, char *to, size_t n)
{
    hd_wave wave;
    if (heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) == HEDDLE_OK)
        hd_wave_say_halt(g, wave.words, wave.n_items, read_item, to, n);
}

static int say_failure(heddle_graph *g, uint32_t code, char *to, size_t n)
{
    hd_wave wave;
    return heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) == HEDDLE_OK &&
           hd_wave_say_failure(g, wave.words, "cell", code, to, n);
}

/* ---- making it ------------------------------------------------------------------------------------------------------ */

/* If the schedule is open, offers variants of what the desc leaves open. */
static heddle_status offer(const hd_wave_draft *m)
{
    const hd_wave_of w = {m->ctx, m->table, m->desc};
    hd_way_over first = {0};
    hd_ways_over ways = {0};
    if (m->is_again || !hd_ctx_is_open(m->ctx) || m->ctx->config.backend == HEDDLE_SERIAL)
        return HEDDLE_OK;
    if (m->is_blocks)
        first = (hd_way_over){m->info->shapes[m->shape].rows, m->info->shapes[m->shape].columns, m->n_warps, 0, 0};
    hd_way_add(&ways, &first);
    hd_wave_list_ways(m, &ways);
    return hd_wave_offer(m->graph, &w, &ways, make_again);
}

static heddle_status make(hd_wave_draft *m)
{
    hd_kept kept;
    HD_TRY(hd_wave_check(m));
    HD_TRY(heddle_graph_new(m->ctx, m->table, &m->graph)); /* settles the context's backend */
    HD_TRY(check_counts(m));
    HD_TRY(hd_wave_choose(m));
    kept = hd_kept_of(m);
    HD_TRY(hd_layout_check_cells(&kept));
    HD_TRY(hd_wave_lay_out(m));
    HD_TRY(make_block(m));
    HD_TRY(make_graph(m));
    HD_TRY(offer(m));
    m->graph->own = m->block;
    m->graph->free_own = free_own;
    m->graph->start_anew = start_anew;
    m->graph->say_failure = say_failure;
    m->graph->say_halt = say_halt;
    return HEDDLE_OK;
}

static heddle_status check_call(hd_wave_draft *m, const char *call, const void *out)
{
    HD_TRY(hd_ctx_check(m->ctx));
    m->e = &m->ctx->error;
    if (!out || !m->desc)
        return hd_say(m->e, HEDDLE_EINVAL, "%s: %s is NULL", call, m->desc ? "out" : "desc");
    if (m->desc->size != sizeof *m->desc)
        return hd_say(m->e, HEDDLE_EINVAL, "%s: set the struct up with HEDDLE_WAVE_INIT", call);
    HD_TRY(hd_wave_check_body(m->e, call, m->table, m->desc->body));
    m->info = &m->table->waves[m->desc->body];
    m->n_fields = hd_wave_fields(m->desc);
    return HEDDLE_OK;
}

/* Makes the graph, or frees everything. */
static heddle_status finish(hd_wave_draft *m, heddle_graph **out)
{
    const heddle_status s = make(m);
    hd_delete(m->items, m->n_items * sizeof *m->items);
    hd_delete(m->ends, m->n_groups * sizeof *m->ends);
    hd_delete(m->ends_at, m->n_items * sizeof *m->ends_at);
    if (s == HEDDLE_OK) {
        *out = m->graph;
        return s;
    }
    heddle_graph_free(m->graph);
    heddle_mem_free(m->ctx, m->block);
    return s;
}

static heddle_status make_again(const hd_wave_of *w, int is_tasks, heddle_graph **out)
{
    hd_wave_draft m = {.ctx = w->ctx, .table = w->table, .desc = w->desc, .is_again = 1, .is_tasks = is_tasks};
    HD_TRY(check_call(&m, "heddle_wave_new", out));
    return finish(&m, out);
}

HEDDLE_API heddle_status heddle_wave_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc,
                                         heddle_graph **out)
{
    hd_wave_draft m = {.ctx = ctx, .table = table, .desc = desc};
    if (out)
        *out = NULL;
    HD_TRY(check_call(&m, "heddle_wave_new", out));
    return m.info->is_tile ? hd_tile_new(ctx, table, desc, out) : finish(&m, out);
}

HEDDLE_API uint64_t heddle_wave_outer_bytes(const heddle_table *table, uint32_t body, uint64_t cols, uint32_t sweeps)
{
    const heddle_wave_info *info;
    uint64_t n_passes;
    if (!table || !table->waves || body >= table->n_bodies)
        return 0;
    info = &table->waves[body];
    n_passes = info->sweeps && sweeps ? (sweeps - 1u) / info->sweeps + 1u : 1u;
    return sizeof(hd_outer) +
           n_passes * hd_outer_words(outer_cols(info, cols), info->south_bytes / 4u) * sizeof(hd_pair_word);
}

HEDDLE_API heddle_status heddle_wave_get_layout(heddle_ctx *ctx, const heddle_table *table,
                                                const heddle_wave_desc *desc, uint32_t item, heddle_wave_layout *out)
{
    hd_wave_draft m = {.ctx = ctx, .table = table, .desc = desc};
    heddle_wave_item x;
    hd_kept kept;
    HD_TRY(check_call(&m, "heddle_wave_get_layout", out));
    if (m.info->is_tile)
        return hd_say(m.e, HEDDLE_EINVAL, "heddle_wave_get_layout: %s is a body of a tile, which keeps no cells",
                      table->bodies[desc->body].name);
    HD_TRY(hd_wave_check_fields(m.e, desc));
    kept = hd_kept_of(&m);
    HD_TRY(hd_layout_check(&kept));
    if (item >= m.n_fields)
        return hd_say(m.e, HEDDLE_EINVAL, "heddle_wave_get_layout: item %u of %u", item, m.n_fields);
    HD_TRY(hd_ctx_suit(ctx, table));
    HD_TRY(hd_wave_choose(&m));
    x = hd_wave_item_of(desc, item);
    kept = hd_kept_of(&m);
    *out = hd_layout_of(&kept, &x);
    return HEDDLE_OK;
}
