/* SPDX-License-Identifier: MIT */
/* tile.c - heddle_wave_new for a body of a tile (heddle/tile.h, core/tile.h). A part is a band of rows, and workers take
 * parts in order. Under a schedule for tasks a part is a tile, which waits for the tiles to its left and above.
 *
 * All that parts read of the wave is one block of the context's memory, owned by the graph: the wave, the state that changes
 * from run to run, its items, flags, rows that bands hand on, and tiles' carries. */
#include "engine/wave.h"

#include "heddle/tile.h"

#include <string.h>

#define BAND_ROWS 64u /* the defaults, if the desc has none */
#define TILE_COLS 512u
#define TEAM_SIZE 256u        /* per block */
#define MOST_PARTS (1u << 24) /* each has a flag on a line of its own */

/* A wave under construction. */
typedef struct maker {
    heddle_ctx *ctx;
    const heddle_table *table;
    const heddle_wave_desc *desc;
    const heddle_wave_info *info;
    hd_error *e;
    heddle_graph *graph;
    int is_in_order;        /* parts are bands */
    int is_again, is_tasks; /* a variant of an existing wave; hd_way_over makes it tiles */
    uint32_t n_items;
    hd_tile_item *items;
    hd_tile_wave wave;
    uint8_t *block, *carry;
    uint64_t items_at, failures_at, flags_at, south_at, spare_at, carry_at, south_bytes,
        band_carry; /* offsets and sizes in the block */
} maker;

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* Names fields of the desc that only waves of cells may set, or NULL. */
static const char *cells_only(const heddle_wave_desc *d)
{
    return d->x || d->y || d->cells || d->row_cells                    ? "x, y, cells"
           : d->west.array || d->west.constant || d->corner || d->east ? "border west, corner, east"
           : d->last_row || d->last_col || d->found || d->found_each   ? "last_row, last_col, found"
           : d->lane_rows || d->step_columns || d->sweeps              ? "lane_rows, step_columns, sweeps"
           : d->layout || d->n_cells                                   ? "layout, n_cells"
           : d->north.count || d->last_col_count                       ? "counts"
                                                                       : NULL;
}

static heddle_status check(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    const char *name = m->table->bodies[d->body].name, *no = cells_only(d);
    HD_TRY(hd_wave_check_fields(m->e, d));
    if (no)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s are for cells, and %s is a body of a tile", no, name);
    if (d->north.constant)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border north of a wave of tiles is an array or nothing");
    if ((uintptr_t)d->north.array % 4u)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: north = %p is not aligned to 4 bytes", d->north.array);
    if (d->band_rows > (1u << 30) || d->tile_cols > (1u << 30))
        return hd_say(m->e, HEDDLE_ERANGE, "heddle_wave_new: tiles of %u rows and %u columns; 2^30 are the most",
                      d->band_rows, d->tile_cols);
    return HEDDLE_OK;
}

/* ---- its geometry -------------------------------------------------------------------------------------------------- */

static uint32_t pieces(uint64_t n, uint32_t of) { return (uint32_t)((n + of - 1u) / of); }

static void choose_tiles(maker *m)
{
    const uint32_t cols = m->desc->tile_cols ? m->desc->tile_cols : TILE_COLS;
    m->wave.element_bytes = m->info->south_bytes;
    m->wave.carry_bytes = m->info->carry_bytes;
    m->wave.band_rows = m->desc->band_rows ? m->desc->band_rows : BAND_ROWS;
    m->wave.tile_cols = pieces(cols, HD_WAVE_GRANULE) * HD_WAVE_GRANULE;
}

static void place_item(maker *m, hd_tile_item *to, const heddle_wave_item *from)
{
    to->north_at = from->north_at * m->wave.element_bytes;
    to->south_at = m->south_bytes;
    to->south_bytes = hd_wave_lines(from->cols * m->wave.element_bytes);
    to->rows = (uint32_t)from->rows;
    to->cols = (uint32_t)from->cols;
    to->n_bands = pieces(from->rows, m->wave.band_rows);
    to->n_tiles = pieces(from->cols, m->wave.tile_cols);
    to->flag_at = m->wave.n_flags;
    m->wave.n_flags += to->n_bands;
    m->south_bytes += 2u * to->south_bytes;
}

static heddle_status lay_out(maker *m)
{
    const heddle_wave_item one = {.rows = m->desc->rows, .cols = m->desc->cols};
    uint64_t n_parts = 0;
    uint32_t i;
    m->items = hd_new(m->n_items * sizeof *m->items);
    if (!m->items)
        return hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
    for (i = 0; i < m->n_items; i++) {
        const heddle_wave_item *from = m->desc->items ? &m->desc->items[i] : &one;
        n_parts += (uint64_t)pieces(from->rows, m->wave.band_rows) *
                   (m->is_in_order ? 1u : pieces(from->cols, m->wave.tile_cols));
        if (n_parts > HEDDLE_MAX_TASKS || n_parts > MOST_PARTS)
            return hd_say(m->e, HEDDLE_ERANGE,
                          "heddle_wave_new: more than %llu parts; give it larger tiles, or fewer items",
                          (unsigned long long)n_parts - 1u);
        place_item(m, &m->items[i], from);
    }
    m->wave.n_parts = (uint32_t)n_parts;
    return HEDDLE_OK;
}

/* ---- its memory ---------------------------------------------------------------------------------------------------- */

static void place_block(maker *m)
{
    m->items_at = hd_wave_lines(sizeof m->wave) + hd_wave_lines(sizeof(hd_wave_words));
    m->failures_at = m->items_at + hd_wave_lines(m->n_items * sizeof *m->items);
    m->flags_at = m->failures_at + hd_wave_lines(m->wave.n_flags * sizeof *m->wave.failures);
    m->south_at = m->flags_at + (uint64_t)m->wave.n_flags * HD_LINE;
    m->spare_at = m->south_at + m->south_bytes;
    m->wave.spare_bytes = m->is_in_order ? hd_wave_lines((uint64_t)m->wave.tile_cols * m->wave.element_bytes) : 0u;
    m->carry_at = m->spare_at + m->wave.n_flags * m->wave.spare_bytes;
    m->band_carry = m->is_in_order ? 0u : hd_wave_lines(m->wave.carry_bytes + 1u);
}

static void fill_wave(maker *m)
{
    hd_tile_wave *w = &m->wave;
    w->items = (const hd_tile_item *)(const void *)(m->block + m->items_at);
    w->words = (hd_wave_words *)(void *)(m->block + hd_wave_lines(sizeof *w));
    w->n_items = m->n_items;
    w->failures = (hd_wave_failure *)(void *)(m->block + m->failures_at);
    w->flags = (uint32_t *)(void *)(m->block + m->flags_at);
    w->south = m->block + m->south_at;
    w->spare = m->block + m->spare_at;
    w->north = m->desc->north.array;
    m->carry = m->block + m->carry_at;
}

static heddle_status clear(heddle_ctx *ctx, void *p, uint64_t n_bytes)
{
    const uint64_t most = 1u << 20, piece = n_bytes < most ? n_bytes : most;
    void *zeros = hd_new(piece);
    heddle_status s = HEDDLE_OK;
    uint64_t at;
    if (!zeros)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "a wave's flags: out of memory");
    for (at = 0; s == HEDDLE_OK && at < n_bytes; at += piece)
        s = heddle_mem_write(ctx, (uint8_t *)p + at, zeros, n_bytes - at < piece ? n_bytes - at : piece);
    hd_delete(zeros, piece);
    return s;
}

/* Initialises flags, items and words; rows of bands are written before they are read. */
static heddle_status make_block(maker *m)
{
    place_block(m);
    HD_TRY(hd_wave_mem_new(m->ctx, m->carry_at + m->wave.n_flags * m->band_carry, (void **)&m->block));
    fill_wave(m);
    HD_TRY(clear(m->ctx, m->block, m->carry_at));
    HD_TRY(heddle_mem_write(m->ctx, m->block, &m->wave, sizeof m->wave));
    return heddle_mem_write(m->ctx, m->block + m->items_at, m->items, m->n_items * sizeof *m->items);
}

/* ---- its graph ------------------------------------------------------------------------------------------------------ */

static heddle_status add_part(maker *m, const hd_tile_part *p, heddle_task *out)
{
    return heddle_graph_add(m->graph, m->desc->body, p, sizeof *p, NULL, 0, out);
}

static hd_tile_part part_of(const maker *m, uint32_t item, uint32_t band)
{
    const hd_tile_part p = {.wave = (const hd_tile_wave *)(const void *)m->block,
                            .item = item,
                            .band = band,
                            .end = m->items[item].n_tiles,
                            .cols = m->items[item].cols,
                            .tile_cols = m->wave.tile_cols};
    return p;
}

static hd_part_span span_of(const void *args)
{
    const hd_tile_part *p = args;
    const hd_part_span span = {p->item, p->band, p->cols, p->tile_cols};
    return span;
}

/* Interleaves items, so that with many of them no band waits for the one just before it. */
static heddle_status add_bands(maker *m)
{
    uint32_t band, item, most = 0;
    for (item = 0; item < m->n_items; item++)
        if (m->items[item].n_bands > most)
            most = m->items[item].n_bands;
    for (band = 0; band < most; band++)
        for (item = 0; item < m->n_items; item++)
            if (band < m->items[item].n_bands) {
                const hd_tile_part p = part_of(m, item, band);
                HD_TRY(add_part(m, &p, NULL));
            }
    return HEDDLE_OK;
}

/* Adds the tiles of a band after those of the band above. Each waits for the tiles to its left and above. */
static heddle_status add_tiles_of(maker *m, uint32_t item, uint32_t band)
{
    const uint32_t n = m->items[item].n_tiles;
    hd_tile_part p = part_of(m, item, band);
    heddle_task task;
    uint32_t t;
    p.carry = m->carry + (m->items[item].flag_at + band) * m->band_carry;
    for (t = 0; t < n; t++) {
        p.first = t;
        p.end = t + 1u;
        HD_TRY(add_part(m, &p, &task));
        if (t)
            HD_TRY(heddle_graph_add_edge(m->graph, task, task - 1u));
        if (band)
            HD_TRY(heddle_graph_add_edge(m->graph, task, task - n));
    }
    return HEDDLE_OK;
}

static heddle_status add_tiles(maker *m)
{
    uint32_t item, band;
    for (item = 0; item < m->n_items; item++)
        for (band = 0; band < m->items[item].n_bands; band++)
            HD_TRY(add_tiles_of(m, item, band));
    return HEDDLE_OK;
}

static uint32_t team_size(const maker *m)
{
    const uint32_t asked = m->ctx->config.team_size;
    return m->desc->n_warps ? 32u * m->desc->n_warps : asked ? asked : TEAM_SIZE;
}

static heddle_status make_graph(maker *m)
{
    const uint32_t n_bytes = (uint32_t)sizeof(hd_tile_near) + (m->is_in_order ? m->wave.carry_bytes : 0u);
    m->graph->g.in_order = m->is_in_order;
    if (m->is_in_order)
        m->graph->g.bands = (hd_bands){1, m->n_items, span_of};
    HD_TRY(heddle_graph_set_shared_bytes(m->graph, m->desc->body, n_bytes));
    if (m->ctx->config.backend == HEDDLE_CUDA || hd_wave_blocks) {
        HD_TRY(hd_wave_check_block(m->ctx, (team_size(m) + 31u) / 32u, n_bytes));
        HD_TRY(heddle_graph_set_team_size(m->graph, team_size(m)));
    }
    HD_TRY(m->is_in_order ? add_bands(m) : add_tiles(m));
    return heddle_graph_freeze(m->graph);
}

/* After a run that ended badly: restarts all counts. */
static heddle_status start_anew(heddle_graph *g)
{
    hd_tile_wave wave;
    HD_TRY(heddle_mem_read(g->ctx, &wave, g->own, sizeof wave));
    HD_TRY(clear(g->ctx, wave.flags, (uint64_t)wave.n_flags * HD_LINE));
    return clear(g->ctx, wave.words, sizeof *wave.words);
}

static void free_own(heddle_graph *g) { heddle_mem_free(g->ctx, g->own); }

static int say_failure(heddle_graph *g, uint32_t code, char *to, size_t n)
{
    hd_tile_wave wave;
    return heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) == HEDDLE_OK &&
           hd_wave_say_failure(g, wave.words, "tile", code, to, n);
}

static int read_item(heddle_graph *g, uint32_t i, hd_item_at *out)
{
    hd_tile_wave wave;
    hd_tile_item item;
    if (heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) != HEDDLE_OK ||
        heddle_mem_read(g->ctx, &item, wave.items + i, sizeof item) != HEDDLE_OK)
        return 0;
    *out = (hd_item_at){i, 0, item.flag_at};
    return 1;
}

static void say_halt(heddle_graph *g, char *to, size_t n)
{
    hd_tile_wave wave;
    if (heddle_mem_read(g->ctx, &wave, g->own, sizeof wave) == HEDDLE_OK)
        hd_wave_say_halt(g, wave.words, wave.n_items, read_item, to, n);
}

int hd_tile_is_wave(const heddle_graph *g) { return g->start_anew == start_anew; }

/* Bands and columns of a field, on average if there are several. A tile waits for the one above itself: no column of lag. */
heddle_status hd_tile_get_geometry(heddle_graph *g, heddle_wave_geometry *out)
{
    hd_tile_wave wave;
    hd_tile_item item;
    double cols = 0;
    uint32_t i;
    HD_TRY(heddle_mem_read(g->ctx, &wave, g->own, sizeof wave));
    for (i = 0; i < wave.n_items; i++) {
        HD_TRY(heddle_mem_read(g->ctx, &item, wave.items + i, sizeof item));
        cols += (double)item.cols * item.n_bands;
    }
    *out = (heddle_wave_geometry){
        .n_warps = 1,
        .band_rows = wave.band_rows,
        .hand_cols = wave.tile_cols,
        .model = {.bands = (wave.n_flags + wave.n_items - 1u) / wave.n_items, .cols = cols / wave.n_flags},
        .is_tile = 1};
    return HEDDLE_OK;
}

static hd_wave_maker make_again;

/* If the schedule is open, also offers tiles as tasks. The body may rely on their rows and columns, so these stay. */
static heddle_status offer(const maker *m)
{
    const hd_wave_of w = {m->ctx, m->table, m->desc};
    const hd_ways_over ways = {2, {{0}, {.is_tasks = 1}}};
    if (m->is_again || !hd_ctx_is_open(m->ctx) || m->ctx->config.backend == HEDDLE_SERIAL || !hd_wave_may_be_tasks(&w))
        return HEDDLE_OK;
    return hd_wave_offer(m->graph, &w, &ways, make_again);
}

static heddle_status make(maker *m)
{
    HD_TRY(check(m));
    HD_TRY(heddle_graph_new(m->ctx, m->table, &m->graph)); /* settles the context's backend */
    HD_TRY(hd_wave_check_schedule(m->ctx, m->table, m->info, &m->is_in_order));
    m->is_in_order &= !m->is_tasks;
    choose_tiles(m);
    HD_TRY(lay_out(m));
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

/* Makes the graph, or frees everything. */
static heddle_status finish(maker *m, heddle_graph **out)
{
    heddle_status s;
    m->info = &m->table->waves[m->desc->body];
    m->e = &m->ctx->error;
    m->n_items = m->desc->items ? m->desc->n_items : 1u;
    s = make(m);
    hd_delete(m->items, m->n_items * sizeof *m->items);
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
    maker m = {.ctx = w->ctx, .table = w->table, .desc = w->desc, .is_again = 1, .is_tasks = is_tasks};
    return finish(&m, out);
}

heddle_status hd_tile_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc, heddle_graph **out)
{
    maker m = {.ctx = ctx, .table = table, .desc = desc};
    return finish(&m, out);
}
