/* SPDX-License-Identifier: MIT */
/* wave_shape.c - how a wave of cells is laid out on a device: rows of a band, columns of a step, bands of a block; and in which other ways it
 * could be, which `auto` tries. */
#include "engine/wave_draft.h"

#define BLOCK_WARPS 31u   /* in a block of 1024 threads, beside the warp that takes parts */
#define MORE_WARPS 5u     /* of a block, if all bands are resident then */
#define USUAL_BLOCKS 2u   /* of so many warps, on a multiprocessor: registers of most cells allow no more */
#define FIXED_BYTES 8192u /* upper bound for a kernel's own shared memory, without its bodies' */

int hd_wave_blocks;

static int is_asked(uint32_t asked, uint32_t is) { return !asked || asked == is; }

/* The context's device; zeros if unknown. */
static heddle_device device_of(const hd_wave_draft *m)
{
    const heddle_device none = HEDDLE_DEVICE_INIT;
    heddle_device device = HEDDLE_DEVICE_INIT;
    const heddle_config *c = &m->ctx->config;
    return heddle_device_get(c->backend, c->device, &device) == HEDDLE_OK ? device : none;
}

/* Warps of this shape that fit into a block's memory. */
static uint32_t most_warps(const hd_wave_draft *m, const heddle_device *device, const heddle_wave_shape *shape)
{
    if (m->ctx->config.backend != HEDDLE_CUDA || !device->shared_bytes)
        return HD_WAVE_WARPS;
    return device->shared_bytes < FIXED_BYTES ? 0u : (device->shared_bytes - FIXED_BYTES) / hd_warp_bytes(m, shape);
}

static uint64_t bands_of(const hd_wave_draft *m, uint32_t band_rows)
{
    const heddle_wave_desc *d = m->desc;
    uint64_t n = 0;
    uint32_t i;
    for (i = 0; i < m->n_fields; i++)
        n += ((d->items ? d->items[i].rows : d->rows) + band_rows - 1u) / band_rows;
    return n;
}

/* Of n bands on a multiprocessor: all of them, or half of them, so that each multiprocessor has the same number. Blocks of 4 for 5 bands would
 * be two on some and one on others, and the field waits for the former. */
static uint64_t even_warps(uint64_t n)
{
    const uint64_t n_blocks = (n + MORE_WARPS - 1u) / MORE_WARPS;
    return n_blocks > USUAL_BLOCKS ? HD_WAVE_WARPS : (n + n_blocks - 1u) / n_blocks;
}

/* As many warps per block as make all bands resident: with fewer bands each has a multiprocessor to itself. At most as many
 * as fit into memory, and as a field has bands on average, since further warps would idle. */
static uint32_t choose_warps(const hd_wave_draft *m, const heddle_device *device)
{
    const uint64_t n_bands = bands_of(m, m->band_rows), of_field = n_bands / m->n_fields;
    const uint64_t n = device->n_units ? even_warps((n_bands + device->n_units - 1u) / device->n_units) : HD_WAVE_WARPS;
    const uint32_t fit = most_warps(m, device, &m->info->shapes[m->shape]), most = fit < MORE_WARPS ? fit : MORE_WARPS;
    const uint64_t few = of_field < most ? of_field : most;
    return (uint32_t)(n < few ? n : few);
}

/* The first shape that the desc allows and memory permits. If multiprocessors have more bands of it than HD_WAVE_WARPS, the
 * highest shape instead: fewer steps and words then gain more than more bands. HD_NONE: there is none. */
static uint32_t find_shape(const hd_wave_draft *m, const heddle_device *device)
{
    const heddle_wave_shape *shapes = m->info->shapes;
    uint32_t s, found = HD_NONE;
    for (s = 0; s < m->info->n_shapes; s++) {
        if (!is_asked(m->desc->lane_rows, shapes[s].rows) || !is_asked(m->desc->step_columns, shapes[s].columns))
            continue;
        if (found != HD_NONE && !hd_suits_stride(m, 32u * shapes[s].rows))
            continue;
        if (found != HD_NONE && !most_warps(m, device, &shapes[s]))
            continue; /* the first is refused later if it does not fit */
        if (found == HD_NONE || !most_warps(m, device, &shapes[found]) ||
            !hd_suits_stride(m, 32u * shapes[found].rows) ||
            (device->n_units && shapes[s].rows > shapes[found].rows &&
             bands_of(m, 32u * shapes[found].rows) > (uint64_t)HD_WAVE_WARPS * device->n_units))
            found = s;
    }
    return found;
}

heddle_status hd_wave_choose(hd_wave_draft *m)
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
        return hd_wave_check_bands(m);
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
            m->info->shapes[s].rows, hd_warp_bytes(m, &m->info->shapes[s]), (unsigned long long)device.shared_bytes,
            FIXED_BYTES);
    if (team_size % 32u && !d->n_warps)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: teams of %u threads; a wave wants whole warps of 32",
                      team_size);
    m->shape = s;
    m->band_rows = m->info->shapes[s].rows * 32u;
    m->lag = m->info->shapes[s].lag;
    m->n_warps = d->n_warps ? d->n_warps : team_size ? team_size / 32u : choose_warps(m, &device);
    HD_TRY(hd_wave_check_bands(m));
    return hd_wave_check_block(m->ctx, m->n_warps, (uint64_t)hd_warp_bytes(m, &m->info->shapes[s]) * m->n_warps);
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

uint64_t hd_wave_rows_at_once(heddle_ctx *ctx, const heddle_wave_info *info)
{
    const heddle_config *c = &ctx->config;
    heddle_device device = HEDDLE_DEVICE_INIT;
    uint32_t s, rows = 0;
    if (c->backend != HEDDLE_CUDA || heddle_device_get(c->backend, c->device, &device) != HEDDLE_OK)
        return (uint64_t)HD_LONE * (c->n_workers ? c->n_workers : 1u);
    for (s = 0; s < info->n_shapes; s++)
        rows = info->shapes[s].rows > rows ? info->shapes[s].rows : rows;
    return 32ull * rows * (c->n_workers ? c->n_workers : USUAL_BLOCKS * device.n_units) * HD_WAVE_WARPS;
}

/* ---- other ways ----------------------------------------------------------------------------------------------------- */

/* The average number of bands per field. */
static uint64_t bands_of_field(const hd_wave_draft *m, uint32_t shape)
{
    return bands_of(m, 32u * m->info->shapes[shape].rows) / m->n_fields;
}

/* Adds all numbers of warps for this shape that desc and config allow, except the wave's own, which is the first way. */
static void add_warps(const hd_wave_draft *m, uint32_t shape, hd_ways_over *ways)
{
    const int is_fixed = m->desc->n_warps || m->ctx->config.team_size;
    const uint64_t n_bands = bands_of_field(m, shape);
    hd_way_over way = {.lane_rows = m->info->shapes[shape].rows, .step_columns = m->info->shapes[shape].columns};
    for (way.n_warps = 1; way.n_warps <= HD_WAVE_WARPS; way.n_warps++)
        if (is_fixed ? way.n_warps == 1 : way.n_warps == 1 || way.n_warps <= n_bands) {
            hd_way_over one = way;
            one.n_warps = is_fixed ? m->n_warps : way.n_warps;
            if (shape != m->shape || one.n_warps != m->n_warps)
                hd_way_add(ways, &one);
        }
}

/* Skewed cells fix the shape. */
static void add_shapes(const hd_wave_draft *m, hd_ways_over *ways)
{
    const heddle_wave_desc *d = m->desc;
    const heddle_wave_shape *shapes = m->info->shapes;
    uint32_t s;
    for (s = 0; s < m->info->n_shapes; s++)
        if (is_asked(d->lane_rows, shapes[s].rows) && is_asked(d->step_columns, shapes[s].columns) &&
            hd_suits_stride(m, 32u * shapes[s].rows) && (s == m->shape || d->layout != HEDDLE_LAYOUT_SKEWED))
            add_warps(m, s, ways);
}

/* Adds tiles of some widths, up to the first that covers all columns. */
static void add_tile_widths(const hd_wave_draft *m, hd_ways_over *ways)
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

void hd_wave_list_ways(const hd_wave_draft *m, hd_ways_over *ways)
{
    const hd_wave_of w = {m->ctx, m->table, m->desc};
    if (m->is_blocks)
        add_shapes(m, ways);
    if (hd_wave_may_be_tasks(&w))
        add_tile_widths(m, ways);
}
