/* SPDX-License-Identifier: MIT */
/* wave.c - heddle_wave_new: turns a description of a wavefront into a graph of parts. Each part is some bands of rows, and
 * workers take parts in order (core/wave.h).
 *
 * The graph has no edges: a part waits inside its body for the words of the one before. All that parts read of the wave is
 * one block of the context's memory, owned by the graph: the wave, the state that changes from run to run, its items, the
 * results of bands, and the rows of words. */
#include "engine/wave.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_WARPS 31u   /* in a block of 1024 threads, beside the warp that takes parts */
#define MOST_WARPS 4u     /* default limit per block: more warps compete for registers */
#define USUAL_BLOCKS 2u   /* of so many warps, on a multiprocessor: registers of most cells allow no more */
#define FIXED_BYTES 8192u /* upper bound for a kernel's own shared memory, without its bodies' */
#define TILE_COLS 512u    /* default columns of a tile */
#define NOTHING_BYTES ((uint32_t)sizeof(heddle_nothing))

int hd_wave_blocks;

static hd_wave_maker make_again;

/* A wave under construction. */
typedef struct maker {
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
} maker;

uint32_t hd_wave_fields(const heddle_wave_desc *d) { return d->items ? d->n_items : 1u; }

heddle_wave_item hd_wave_item_of(const heddle_wave_desc *d, uint32_t i)
{
    const heddle_wave_item one = {.rows = d->rows, .cols = d->cols};
    return d->items ? d->items[i] : one;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static heddle_status check_size(hd_error *e, const char *what, uint64_t n)
{
    if ((int64_t)n <= 0)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: a field of %lld %s", (long long)n, what);
    if (n > HD_WAVE_MOST)
        return hd_say(e, HEDDLE_ERANGE, "heddle_wave_new: a field of %llu %s; 2^31 are the most", (unsigned long long)n,
                      what);
    return HEDDLE_OK;
}

heddle_status hd_wave_check_body(hd_error *e, const char *call, const heddle_table *table, uint32_t body)
{
    if (!table)
        return hd_say(e, HEDDLE_EINVAL, "%s: table is NULL", call);
    if (!table->waves)
        return hd_say(e, HEDDLE_EINVAL, "%s: table %s was not made by HEDDLE_WAVES or HEDDLE_TILES", call, table->name);
    if (body >= table->n_bodies)
        return hd_say(e, HEDDLE_EINVAL, "%s: table %s has %u cells, there is no cell %u", call, table->name,
                      table->n_bodies, body);
    return HEDDLE_OK;
}

static heddle_status check_aligned(maker *m, const char *what, const void *p, uint32_t align)
{
    if ((uintptr_t)p % align)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s = %p is not aligned to %u bytes", what, p, align);
    return HEDDLE_OK;
}

static heddle_status check_array(maker *m, const char *what, const void *p, uint32_t n_bytes, uint32_t align)
{
    if (!p && n_bytes != NOTHING_BYTES)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s is NULL, and cell %s reads %u bytes of it for each %s",
                      what, m->table->bodies[m->desc->body].name, n_bytes, *what == 'x' ? "row" : "column");
    return check_aligned(m, what, p, align);
}

static heddle_status check_border(maker *m, const char *what, const heddle_wave_border *b)
{
    if (b->array && b->constant)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border %s is an array or a constant, not both", what);
    if (b->count && !b->array)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border %s has a count, and no array", what);
    if ((uintptr_t)b->count % 4u)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: the count of border %s, %p, is not aligned to 4 bytes",
                      what, (const void *)b->count);
    return HEDDLE_OK;
}

/* Kernels read and write cells, and what they find, as their types; threads as words. */
static heddle_status check_types(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    const uint32_t align = m->info->cell_align > 4u ? m->info->cell_align : 4u;
    const uint32_t found = m->info->found_align > 4u ? m->info->found_align : 4u;
    HD_TRY(check_aligned(m, "north.array", d->north.array, align));
    HD_TRY(check_aligned(m, "west.array", d->west.array, align));
    HD_TRY(check_aligned(m, "last_row", d->last_row, align));
    HD_TRY(check_aligned(m, "last_col", d->last_col, align));
    HD_TRY(check_aligned(m, "found", d->found, found));
    return check_aligned(m, "found_each", d->found_each, found);
}

static heddle_status check_east_count(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    if (d->last_col_count && !d->last_col)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: last_col_count, and last_col is NULL");
    return check_aligned(m, "last_col_count", d->last_col_count, 4u);
}

/* The serial backend returns only after the run is over. */
static heddle_status check_counts(maker *m)
{
    if ((m->desc->north.count || m->desc->west.count) && m->ctx->config.backend == HEDDLE_SERIAL)
        return hd_say(
            m->e, HEDDLE_ENODEV,
            "heddle_wave_new: a border with a count, and the serial backend cannot be stopped while it waits");
    return HEDDLE_OK;
}

heddle_status hd_wave_check_fields(hd_error *e, const heddle_wave_desc *d)
{
    uint64_t i;
    if (d->items && !d->n_items)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: items of which there are 0");
    if (d->items && (d->rows || d->cols))
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: rows and cols are the items' when there are items");
    for (i = 0; i < (d->items ? d->n_items : 1u); i++) {
        HD_TRY(check_size(e, "rows", d->items ? d->items[i].rows : d->rows));
        HD_TRY(check_size(e, "columns", d->items ? d->items[i].cols : d->cols));
    }
    return HEDDLE_OK;
}

/* Sizes of whole words are copied by words. */
static uint32_t align_of(uint32_t n_bytes, uint32_t align) { return n_bytes % 4u || align > 4u ? align : 4u; }

/* Checks what the macros enforce, for tables made by other programs. */
static heddle_status check_info(maker *m)
{
    const heddle_wave_info *info = m->info;
    const char *name = m->table->bodies[m->desc->body].name;
    if (!info->neighbours)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s has an empty set of neighbours", name);
    if (!info->cell_bytes || info->cell_bytes % 4u || info->cell_bytes > 16u)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s has %u bytes; it can have 4, 8, 12 or 16", name,
                      info->cell_bytes);
    return HEDDLE_OK;
}

static int is_stride(const heddle_wave_desc *d) { return d->whole_rows && d->whole_rows != d->rows; }
static int is_last(const heddle_wave_desc *d) { return !is_stride(d) || d->row_at + d->rows == d->whole_rows; }

/* Names fields of the desc that sweeps cannot have, or NULL: their cells read only the field, which includes its rim. */
static const char *not_of_sweeps(const heddle_wave_desc *d)
{
    return d->x || d->y                          ? "x, y"
           : d->north.array || d->north.constant ? "border north"
           : d->west.array || d->west.constant   ? "border west"
           : d->corner || d->east                ? "corner, east"
           : d->last_row                         ? "last_row"
           : d->last_col                         ? "last_col"
           : d->found || d->found_each           ? "found"
                                                 : NULL;
}

static heddle_status check_sweeps(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    const char *name = m->table->bodies[d->body].name;
    if (d->sweeps && !m->info->sweeps)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %u sweeps, and cell %s reads nothing of the sweep before",
                      d->sweeps, name);
    if (!m->info->sweeps)
        return HEDDLE_OK;
    if (not_of_sweeps(d))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s is one of sweeps, which have no %s", name,
                      not_of_sweeps(d));
    if (!d->cells)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cells is NULL, and cell %s sweeps over them", name);
    return HEDDLE_OK;
}

/* Of the field, before the desc's first row: so many rows are swept over, too. */
static uint64_t rows_before(const maker *m)
{
    const heddle_wave_desc *d = m->desc;
    return m->info->sweeps && d->row_at ? d->sweeps ? d->sweeps : 1u : 0u;
}

static uint64_t row_cells_of(const heddle_wave_desc *d, uint64_t cols) { return d->row_cells ? d->row_cells : cols; }

/* The first stride has a border in the north, all others outer rows; the last has a last row. */
static heddle_status check_outer(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    if (!d->row_at != !d->above)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride from row %llu on, and above is %s",
                      (unsigned long long)d->row_at, d->above ? "there" : "NULL");
    if (d->above && (d->north.array || d->north.constant))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border north of a stride that has another one above");
    if (is_last(d) ? !!d->below : !!d->last_row)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s of a stride that is %s",
                      is_last(d) ? "below" : "last_row", is_last(d) ? "the last" : "not the last");
    HD_TRY(check_aligned(m, "above", d->above, HD_LINE));
    return check_aligned(m, "below", d->below, HD_LINE);
}

static heddle_status check_stride(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    const uint64_t sweeps = m->info->sweeps ? d->sweeps ? d->sweeps : 1u : 0u;
    if (!d->whole_rows && !d->row_at && !d->above && !d->below)
        return HEDDLE_OK;
    if (d->items)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of a field, and items");
    HD_TRY(check_size(m->e, "rows", d->whole_rows));
    if (d->row_at > d->whole_rows || d->rows > d->whole_rows - d->row_at)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of %llu rows from %llu on, of a field of %llu",
                      (unsigned long long)d->rows, (unsigned long long)d->row_at, (unsigned long long)d->whole_rows);
    if (is_stride(d) && (d->rows <= sweeps || (d->row_at && d->row_at <= sweeps)))
        return hd_say(m->e, HEDDLE_EINVAL,
                      "heddle_wave_new: a stride of %llu rows from %llu on, and %llu sweeps need more before and in it",
                      (unsigned long long)d->rows, (unsigned long long)d->row_at, (unsigned long long)sweeps);
    return check_outer(m);
}

/* A stride hands on the lowest row of its last band, which has all its rows. */
static int suits_stride(const maker *m, uint32_t band_rows)
{
    return is_last(m->desc) || m->desc->rows % band_rows == 0;
}

static heddle_status check_stride_bands(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    if (!suits_stride(m, m->band_rows))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of %llu rows, with more below, and bands of %u",
                      (unsigned long long)d->rows, m->band_rows);
    if (is_stride(d) && m->lag > HD_OUTER_PAD)
        return hd_say(m->e, HEDDLE_ERANGE,
                      "heddle_wave_new: a stride of bands that are %u columns behind; %u are the most", m->lag,
                      HD_OUTER_PAD);
    return HEDDLE_OK;
}

/* For threads, until a shape is chosen. */
static hd_kept kept_of(const maker *m)
{
    const hd_kept kept = {m->e, m->table, m->desc, m->info, m->is_blocks ? &m->info->shapes[m->shape] : NULL};
    return kept;
}

/* Kernels may have been compiled without code for outputs other than `found`. */
static heddle_status check_found_only(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    if ((m->info->kernels & HD_KERNELS_FOUND_ONLY) && (d->cells || d->last_row || d->last_col))
        return hd_say(m->e, HEDDLE_EINVAL,
                      "heddle_wave_new: cells, last_row or last_col of %s, whose table was compiled with "
                      "HEDDLE_WAVE_FOUND_ONLY: it leaves what is found and nothing else",
                      m->table->bodies[d->body].name);
    return HEDDLE_OK;
}

static heddle_status check(maker *m)
{
    const hd_kept kept = kept_of(m);
    const heddle_wave_desc *d = m->desc;
    HD_TRY(hd_wave_check_fields(m->e, d));
    if (d->band_rows)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: band_rows is for tiles, and %s is a body of a cell",
                      m->table->bodies[d->body].name);
    HD_TRY(check_info(m));
    HD_TRY(check_sweeps(m));
    HD_TRY(check_stride(m));
    HD_TRY(check_found_only(m));
    HD_TRY(hd_layout_check(&kept));
    HD_TRY(check_array(m, "x", d->x, m->info->row_bytes, align_of(m->info->row_bytes, m->info->row_align)));
    HD_TRY(check_array(m, "y", d->y, m->info->column_bytes, align_of(m->info->column_bytes, m->info->column_align)));
    HD_TRY(check_border(m, "north", &d->north));
    HD_TRY(check_border(m, "west", &d->west));
    HD_TRY(check_east_count(m));
    HD_TRY(check_types(m));
    if ((d->found || d->found_each) && !m->info->found_bytes)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s finds nothing", m->table->bodies[d->body].name);
    return HEDDLE_OK;
}

/* ---- its geometry -------------------------------------------------------------------------------------------------- */

static int is_asked(uint32_t asked, uint32_t is) { return !asked || asked == is; }

/* The context's device; zeros if unknown. */
static heddle_device device_of(const maker *m)
{
    const heddle_device none = HEDDLE_DEVICE_INIT;
    heddle_device device = HEDDLE_DEVICE_INIT;
    const heddle_config *c = &m->ctx->config;
    return heddle_device_get(c->backend, c->device, &device) == HEDDLE_OK ? device : none;
}

/* Block-shared memory of a warp. */
static uint32_t warp_bytes(const maker *m, const heddle_wave_shape *shape)
{
    const int by_rows = m->desc->cells && m->desc->layout == HEDDLE_LAYOUT_ROWS;
    return shape->warp_bytes + (by_rows ? shape->kept_bytes : 0u);
}

/* Warps of this shape that fit into a block's memory. */
static uint32_t most_warps(const maker *m, const heddle_device *device, const heddle_wave_shape *shape)
{
    if (m->ctx->config.backend != HEDDLE_CUDA || !device->shared_bytes)
        return MOST_WARPS;
    return device->shared_bytes < FIXED_BYTES ? 0u : (device->shared_bytes - FIXED_BYTES) / warp_bytes(m, shape);
}

static uint64_t bands_of(const maker *m, uint32_t band_rows)
{
    const heddle_wave_desc *d = m->desc;
    uint64_t n = 0;
    uint32_t i;
    for (i = 0; i < m->n_fields; i++)
        n += ((d->items ? d->items[i].rows : d->rows) + band_rows - 1u) / band_rows;
    return n;
}

/* As many warps per block as make all bands resident: with fewer bands each has a multiprocessor to itself. At most as many
 * as fit into memory, and as a field has bands on average, since further warps would idle. */
static uint32_t choose_warps(const maker *m, const heddle_device *device)
{
    const uint64_t n_bands = bands_of(m, m->band_rows), of_field = n_bands / m->n_fields;
    const uint64_t n = device->n_units ? (n_bands + device->n_units - 1u) / device->n_units : MOST_WARPS;
    const uint32_t fit = most_warps(m, device, &m->info->shapes[m->shape]), most = fit < MOST_WARPS ? fit : MOST_WARPS;
    const uint64_t few = of_field < most ? of_field : most;
    return (uint32_t)(n < few ? n : few);
}

/* The first shape that the desc allows and memory permits. If multiprocessors have more bands of it than MOST_WARPS, the
 * highest shape instead: fewer steps and words then gain more than more bands. HD_NONE: there is none. */
static uint32_t find_shape(const maker *m, const heddle_device *device)
{
    const heddle_wave_shape *shapes = m->info->shapes;
    uint32_t s, found = HD_NONE;
    for (s = 0; s < m->info->n_shapes; s++) {
        if (!is_asked(m->desc->lane_rows, shapes[s].rows) || !is_asked(m->desc->step_columns, shapes[s].columns))
            continue;
        if (found != HD_NONE && !suits_stride(m, 32u * shapes[s].rows))
            continue;
        if (found != HD_NONE && !most_warps(m, device, &shapes[s]))
            continue; /* the first is refused later if it does not fit */
        if (found == HD_NONE || !most_warps(m, device, &shapes[found]) || !suits_stride(m, 32u * shapes[found].rows) ||
            (device->n_units && shapes[s].rows > shapes[found].rows &&
             bands_of(m, 32u * shapes[found].rows) > (uint64_t)MOST_WARPS * device->n_units))
            found = s;
    }
    return found;
}

static heddle_status choose_shape(maker *m)
{
    const heddle_wave_desc *d = m->desc;
    const uint32_t team_size = m->ctx->config.team_size;
    heddle_device device;
    uint32_t s;
    m->is_blocks = m->ctx->config.backend == HEDDLE_CUDA || hd_wave_blocks;
    m->n_warps = 1;
    m->band_rows = HD_LONE;
    m->lag = hd_lone_lag(m->info->neighbours & HEDDLE_NE ? 2u : 1u);
    if (!m->is_blocks)
        return check_stride_bands(m);
    device = device_of(m);
    s = find_shape(m, &device);
    if (s == HD_NONE)
        return hd_say(m->e, HEDDLE_EINVAL,
                      "heddle_wave_new: table %s has no shape of %u rows a lane and %u columns a step", m->table->name,
                      d->lane_rows, d->step_columns);
    if (!most_warps(m, &device, &m->info->shapes[s]))
        return hd_say(
            m->e, HEDDLE_ERANGE,
            "heddle_wave_new: a warp of %u rows a lane needs %u bytes of block-shared memory; a block of this "
            "GPU has %llu, %u of them for the kernel itself",
            m->info->shapes[s].rows, warp_bytes(m, &m->info->shapes[s]), (unsigned long long)device.shared_bytes,
            FIXED_BYTES);
    if (team_size % 32u && !d->n_warps)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: teams of %u threads; a wave wants whole warps of 32",
                      team_size);
    m->shape = s;
    m->band_rows = m->info->shapes[s].rows * 32u;
    m->lag = m->info->shapes[s].lag;
    m->n_warps = d->n_warps ? d->n_warps : team_size ? team_size / 32u : choose_warps(m, &device);
    HD_TRY(check_stride_bands(m));
    return hd_wave_check_block(m->ctx, m->n_warps, (uint64_t)warp_bytes(m, &m->info->shapes[s]) * m->n_warps);
}

heddle_status hd_wave_check_block(heddle_ctx *ctx, uint32_t n_warps, uint64_t shared_bytes)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    const heddle_config *c = &ctx->config;
    if (n_warps > BLOCK_WARPS)
        return hd_say(&ctx->error, HEDDLE_ERANGE, "heddle_wave_new: %u warps; a block has room for %u", n_warps,
                      BLOCK_WARPS);
    if (heddle_device_get(c->backend, c->device, &device) == HEDDLE_OK && shared_bytes > device.shared_bytes)
        return hd_say(&ctx->error, HEDDLE_ERANGE,
                      "heddle_wave_new: the bands of a block take %llu bytes of its memory, and it has %u",
                      (unsigned long long)shared_bytes, device.shared_bytes);
    return HEDDLE_OK;
}

heddle_status hd_wave_check_schedule(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_info *info,
                                     int *is_in_order)
{
    const heddle_config *c = &ctx->config;
    *is_in_order = hd_ctx_is_open(ctx) || c->schedule == HEDDLE_SCHEDULE_WAVE;
    if (!*is_in_order && c->backend == HEDDLE_CUDA && !(info->kernels & HD_KERNELS_TASKS))
        return hd_say(
            &ctx->error, HEDDLE_ENODEV,
            "heddle_wave_new: table %s was compiled without HEDDLE_WAVE_TILES: it has no kernel for schedule %s",
            table->name, heddle_schedule_name(c->schedule));
    return HEDDLE_OK;
}

/* Chooses the tiles' width, if the schedule runs tasks. */
static heddle_status choose_tiles(maker *m)
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

static uint32_t granules_of(const maker *m, const hd_wave_item *x)
{
    return hd_wave_granules(x->cols, m->lag, m->info->neighbours & HEDDLE_NE ? 1u : 0u);
}

static uint32_t groups_of(const maker *m, const hd_wave_item *x) { return (x->n_bands + m->n_warps - 1u) / m->n_warps; }

/* The tiles of a group that contain a part of its bands (hd_wave_span). Tile t begins t * m->tile granules along the item's
 * first band. */
typedef struct tile_span {
    uint32_t first, end;
} tile_span;

static tile_span tiles_of(const maker *m, const hd_wave_item *x, uint32_t group)
{
    const uint32_t lag = (m->lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE, band = group * m->n_warps;
    const uint32_t end = x->n_bands - band < m->n_warps ? x->n_bands : band + m->n_warps;
    tile_span s = {0, 1};
    if (m->tile) {
        s.first = band * lag / m->tile;
        s.end = ((end - 1u) * lag + granules_of(m, x) - 1u) / m->tile + 1u;
    }
    return s;
}

static uint64_t parts_of(const maker *m, const hd_wave_item *x)
{
    uint64_t n = 0;
    uint32_t group;
    for (group = 0; group < groups_of(m, x); group++) {
        const tile_span s = tiles_of(m, x, group);
        n += s.end - s.first;
    }
    return n;
}

static void place_item(maker *m, hd_wave_item *to, const heddle_wave_item *from)
{
    const heddle_wave_desc *d = m->desc;
    const hd_kept kept = kept_of(m);
    const heddle_wave_layout layout = hd_layout_of(&kept, from);
    to->x_at = from->x_at;
    to->y_at = from->y_at;
    to->cells_at = from->cells_at;
    to->row_cells = row_cells_of(d, from->cols);
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
static heddle_status count_items(maker *m)
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
static void place_rows(const maker *m, hd_wave_item *x)
{
    const heddle_wave_desc *d = m->desc;
    const uint32_t whole = is_stride(d) ? (uint32_t)d->whole_rows : x->rows, at = (uint32_t)d->row_at;
    const uint32_t up = is_stride(d) ? x->sweeps_before : 0u, end = is_last(d) ? whole : at + x->rows - up;
    x->row_at = at - up;
    x->absent_rows = at ? 0u : up;
    x->whole_rows = whole;
    x->field_rows = end - (at ? at - up : 0u);
    x->rows = x->absent_rows + x->field_rows + (is_last(d) ? x->sweeps : 0u);
    if (at)
        x->cells_at += (rows_before(m) - up) * x->row_cells;
}

/* Completes item i, a pass over a field: a pass of sweeps has more rows and columns than its field. */
static void place_pass(const maker *m, hd_wave_item *x, uint32_t i)
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
static heddle_status lay_out(maker *m)
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
        n_tags += (uint64_t)x->n_bands * granules_of(m, x);
        m->n_groups += groups_of(m, x);
        /* A single part hands on nothing; of a last stride later passes have more parts. */
        if (x->frees == HD_NONE && (groups_of(m, x) > 1u || is_stride(m->desc)))
            n_positions += (uint64_t)granules_of(m, x) * HD_WAVE_GRANULE;
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

static void set_cell(const maker *m, uint32_t to[HD_CELL_WORDS], const void *cell)
{
    if (cell)
        memcpy(to, cell, m->info->cell_bytes);
}

/* Of outer rows. */
static uint64_t outer_cols(const heddle_wave_info *info, uint64_t cols) { return cols + info->sweeps; }

static void fill_wave(maker *m)
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
        w->field = (uint8_t *)d->cells - rows_before(m) * m->items->row_cells * m->info->cell_bytes;
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
static heddle_status write_block(maker *m)
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

static heddle_status make_block(maker *m)
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
static hd_wave_part part_of(const maker *m, uint32_t item, uint32_t group)
{
    const hd_wave_item *x = &m->items[item];
    hd_wave_part p = {.wave = (const hd_wave *)(const void *)m->block, .item = item, .shape = m->shape};
    p.band = group * m->n_warps;
    p.n_bands = x->n_bands - p.band < m->n_warps ? x->n_bands - p.band : m->n_warps;
    p.tag = m->items[item].tag + p.band * granules_of(m, x);
    p.cols = x->cols;
    return p;
}

static hd_part_span span_of(const void *args)
{
    const hd_wave_part *p = args;
    const hd_part_span span = {p->item, p->band, p->cols, HD_WAVE_GRANULE};
    return span;
}

static heddle_status add_part(maker *m, const hd_wave_part *p, heddle_task *out)
{
    return heddle_graph_add(m->graph, m->desc->body, p, sizeof *p, NULL, 0, out);
}

/* Adds the pass that begins with item `first`. Interleaves its fields, so that with many of them no part waits for the one
 * just before it. */
static heddle_status add_pass(maker *m, uint32_t first)
{
    uint32_t group, item, most = 0;
    for (item = first; item < first + m->n_fields; item++)
        if (groups_of(m, &m->items[item]) > most)
            most = groups_of(m, &m->items[item]);
    for (group = 0; group < most; group++)
        for (item = first; item < first + m->n_fields; item++)
            if (group < groups_of(m, &m->items[item])) {
                const hd_wave_part p = part_of(m, item, group);
                HD_TRY(add_part(m, &p, NULL));
            }
    return HEDDLE_OK;
}

static heddle_status add_parts(maker *m)
{
    uint32_t pass;
    for (pass = 0; pass < m->n_passes; pass++)
        HD_TRY(add_pass(m, pass * m->n_fields));
    return HEDDLE_OK;
}

/* Makes the task wait for the last tile of a group, clipped to the item's last group. */
static heddle_status add_end_edge(maker *m, heddle_task task, uint32_t item, uint32_t group)
{
    const uint32_t last = groups_of(m, &m->items[item]) - 1u;
    return heddle_graph_add_edge(m->graph, task, m->ends[m->ends_at[item] + (group < last ? group : last)]);
}

/* A group of a pass begins when its bands and the group below have finished the pass before; the lower group's last tile
 * follows the upper one's. A pass begins when all bands of the pass that used its far row have ended. */
static heddle_status add_pass_edges(maker *m, heddle_task task, uint32_t item, uint32_t group)
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
static heddle_status add_group(maker *m, uint32_t item, uint32_t group, uint8_t *carry, heddle_task *begin)
{
    const tile_span s = tiles_of(m, &m->items[item], group);
    const tile_span above = group ? tiles_of(m, &m->items[item], group - 1u) : (tile_span){0, 0};
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

static heddle_status add_tiles(maker *m)
{
    uint8_t *carry = m->block + m->carry_at;
    uint32_t item, group;
    heddle_task begin = 0;
    m->ends = hd_new(m->n_groups * sizeof *m->ends);
    m->ends_at = hd_new(m->n_items * sizeof *m->ends_at);
    if (!m->ends || !m->ends_at)
        return hd_say(m->e, HEDDLE_ENOMEM, "heddle_wave_new: out of memory");
    for (item = 0; item < m->n_items; item++) {
        m->ends_at[item] = item ? m->ends_at[item - 1u] + groups_of(m, &m->items[item - 1u]) : 0;
        for (group = 0; group < groups_of(m, &m->items[item]); group++, carry += m->group_bytes)
            HD_TRY(add_group(m, item, group, carry, &begin));
    }
    return HEDDLE_OK;
}

static heddle_status make_graph(maker *m)
{
    const uint32_t body = m->desc->body;
    const uint64_t n_bytes =
        m->is_blocks ? (uint64_t)warp_bytes(m, &m->info->shapes[m->shape]) * m->n_warps : sizeof(hd_lone);
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

/* ---- variants -------------------------------------------------------------------------------------------------------- */

/* The average number of bands per field. */
static uint64_t bands_of_field(const maker *m, uint32_t shape)
{
    return bands_of(m, 32u * m->info->shapes[shape].rows) / m->n_fields;
}

/* Adds all numbers of warps for this shape that desc and config allow, except the wave's own, which is the first way. */
static void add_warps(const maker *m, uint32_t shape, hd_ways_over *ways)
{
    const int is_fixed = m->desc->n_warps || m->ctx->config.team_size;
    const uint64_t n_bands = bands_of_field(m, shape);
    hd_way_over way = {.lane_rows = m->info->shapes[shape].rows, .step_columns = m->info->shapes[shape].columns};
    for (way.n_warps = 1; way.n_warps <= MOST_WARPS; way.n_warps++)
        if (is_fixed ? way.n_warps == 1 : way.n_warps == 1 || way.n_warps <= n_bands) {
            hd_way_over one = way;
            one.n_warps = is_fixed ? m->n_warps : way.n_warps;
            if (shape != m->shape || one.n_warps != m->n_warps)
                hd_way_add(ways, &one);
        }
}

/* Skewed cells fix the shape. */
static void add_shapes(const maker *m, hd_ways_over *ways)
{
    const heddle_wave_desc *d = m->desc;
    const heddle_wave_shape *shapes = m->info->shapes;
    uint32_t s;
    for (s = 0; s < m->info->n_shapes; s++)
        if (is_asked(d->lane_rows, shapes[s].rows) && is_asked(d->step_columns, shapes[s].columns) &&
            suits_stride(m, 32u * shapes[s].rows) && (s == m->shape || d->layout != HEDDLE_LAYOUT_SKEWED))
            add_warps(m, s, ways);
}

/* Adds tiles of some widths, up to the first that covers all columns. */
static void add_tile_widths(const maker *m, hd_ways_over *ways)
{
    const uint32_t of_blocks[] = {256, 512}, of_threads[] = {512, 2048},
                   *widths = m->is_blocks ? of_blocks : of_threads;
    hd_way_over way = {.is_tasks = 1, .tile_cols = m->desc->tile_cols};
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < m->n_fields; i++)
        if (m->items[i].cols > most)
            most = m->items[i].cols;
    for (i = 0; i < 2 && (i == 0 || (!m->desc->tile_cols && most > widths[i - 1u])); i++) {
        way.tile_cols = m->desc->tile_cols ? m->desc->tile_cols : widths[i];
        hd_way_add(ways, &way);
    }
}

/* If the schedule is open, offers variants of what the desc leaves open. */
static heddle_status offer(const maker *m)
{
    const hd_wave_of w = {m->ctx, m->table, m->desc};
    hd_way_over first = {0};
    hd_ways_over ways = {0};
    if (m->is_again || !hd_ctx_is_open(m->ctx) || m->ctx->config.backend == HEDDLE_SERIAL)
        return HEDDLE_OK;
    if (m->is_blocks)
        first = (hd_way_over){m->info->shapes[m->shape].rows, m->info->shapes[m->shape].columns, m->n_warps, 0, 0};
    hd_way_add(&ways, &first);
    if (m->is_blocks)
        add_shapes(m, &ways);
    if (hd_wave_may_be_tasks(&w))
        add_tile_widths(m, &ways);
    return hd_wave_offer(m->graph, &w, &ways, make_again);
}

static heddle_status make(maker *m)
{
    hd_kept kept;
    HD_TRY(check(m));
    HD_TRY(heddle_graph_new(m->ctx, m->table, &m->graph)); /* settles the context's backend */
    HD_TRY(check_counts(m));
    HD_TRY(choose_shape(m));
    kept = kept_of(m);
    HD_TRY(hd_layout_check_cells(&kept));
    HD_TRY(choose_tiles(m));
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

static heddle_status check_call(maker *m, const char *call, const void *out)
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
static heddle_status finish(maker *m, heddle_graph **out)
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
    maker m = {.ctx = w->ctx, .table = w->table, .desc = w->desc, .is_again = 1, .is_tasks = is_tasks};
    HD_TRY(check_call(&m, "heddle_wave_new", out));
    return finish(&m, out);
}

HEDDLE_API heddle_status heddle_wave_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc,
                                         heddle_graph **out)
{
    maker m = {.ctx = ctx, .table = table, .desc = desc};
    if (out)
        *out = NULL;
    HD_TRY(check_call(&m, "heddle_wave_new", out));
    return m.info->is_tile ? hd_tile_new(ctx, table, desc, out) : finish(&m, out);
}

uint64_t hd_wave_rows_at_once(heddle_ctx *ctx, const heddle_wave_info *info)
{
    const heddle_config *c = &ctx->config;
    heddle_device device = HEDDLE_DEVICE_INIT;
    uint32_t s, rows = 0;
    if (c->backend != HEDDLE_CUDA || heddle_device_get(c->backend, c->device, &device) != HEDDLE_OK)
        return (uint64_t)HD_LONE * (c->n_workers ? c->n_workers : 1u);
    for (s = 0; s < info->n_shapes; s++)
        rows = info->shapes[s].rows > rows ? info->shapes[s].rows : rows;
    return 32ull * rows * (c->n_workers ? c->n_workers : USUAL_BLOCKS * device.n_units) * MOST_WARPS;
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
    maker m = {.ctx = ctx, .table = table, .desc = desc};
    heddle_wave_item x;
    hd_kept kept;
    HD_TRY(check_call(&m, "heddle_wave_get_layout", out));
    if (m.info->is_tile)
        return hd_say(m.e, HEDDLE_EINVAL, "heddle_wave_get_layout: %s is a body of a tile, which keeps no cells",
                      table->bodies[desc->body].name);
    HD_TRY(hd_wave_check_fields(m.e, desc));
    kept = kept_of(&m);
    HD_TRY(hd_layout_check(&kept));
    if (item >= m.n_fields)
        return hd_say(m.e, HEDDLE_EINVAL, "heddle_wave_get_layout: item %u of %u", item, m.n_fields);
    HD_TRY(hd_ctx_suit(ctx, table));
    HD_TRY(choose_shape(&m));
    x = hd_wave_item_of(desc, item);
    kept = kept_of(&m);
    *out = hd_layout_of(&kept, &x);
    return HEDDLE_OK;
}
