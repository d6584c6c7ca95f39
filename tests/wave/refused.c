/* SPDX-License-Identifier: MIT */
/* refused.c - what heddle_wave_new refuses that other tests here do not provoke: fields, places and borders that contradict one
 * another, arrays that are misaligned or go beyond the last address, shapes, teams and memory that blocks do not have; and calls
 * on graphs that a wave does not take. Each has its own status and sentence, and nothing is made. Blocks are laid out on a
 * context of threads, as the emulator has them; with --cuda a GPU says what it does not have. */
#include "check.h"
#include "engine/wave.h"
#include "wave/endless.h"

#include <string.h>

static uint32_t words[64] __attribute__((aligned(16)));
static heddle_wave_shape shape = {4, 2, 62, 4096, 0, 4096};
static const endless_params params = {7, 1};

static heddle_ctx *open_ctx(heddle_backend backend, heddle_schedule schedule, uint32_t team_size)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = backend;
    c.schedule = schedule;
    c.team_size = team_size;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

static heddle_wave_desc good(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = endless_cell;
    d.rows = d.cols = 10;
    return d;
}

static void said(heddle_ctx *ctx, heddle_status s, heddle_status want, const char *why)
{
    CHECK_MSG(s == want, "%s: %s, not %s", why, heddle_status_text(s), heddle_status_text(want));
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static void refuse(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *d, heddle_status want,
                   const char *why)
{
    heddle_graph *g;
    const heddle_status s = heddle_wave_new(ctx, table, d, &g);
    CHECK_MSG(!g, "%s", why);
    said(ctx, s, want, why);
    CHECK_MSG(!strncmp(heddle_error_text(ctx), "heddle_wave_new: ", 17), "%s", heddle_error_text(ctx));
}

static void test_fields(heddle_ctx *ctx)
{
    const heddle_wave_item item = {.rows = 4, .cols = 4};
    heddle_wave_desc d = good();
    d.rows = d.cols = 0, d.items = &item;
    refuse(ctx, &endless, &d, HEDDLE_EINVAL, "items of which there are 0");
    d.n_items = 1, d.cols = 4;
    refuse(ctx, &endless, &d, HEDDLE_EINVAL, "rows and cols are the items' when there are items");
    d = good(), d.north.array = d.north.constant = words;
    refuse(ctx, &endless, &d, HEDDLE_EINVAL, "border north is an array or a constant, not both");
    d = good(), d.west.array = d.west.constant = words;
    refuse(ctx, &endless, &d, HEDDLE_EINVAL, "border west is an array or a constant, not both");
    d = good(), d.rows = d.cols = (uint64_t)1 << 31;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE, "too many cells for one wave");
}

/* Each array alone; cells of one word, then of a type that is aligned to 16 bytes. */
static void test_alignment(heddle_ctx *ctx)
{
    static const char *const names[] = {"north.array", "west.array", "last_row", "last_col", "found", "found_each"};
    heddle_wave_info info = endless.waves[endless_cell];
    heddle_table table = endless;
    char why[64];
    table.waves = &info;
    info.found_bytes = 16;
    for (uint32_t i = 0; i < 24; i++) {
        const uint32_t align = i < 12 ? 4 : 16;
        heddle_wave_desc d = good();
        const void **constants[] = {&d.north.array, &d.west.array};
        void **arrays[] = {&d.last_row, &d.last_col, &d.found, &d.found_each}, *p = (char *)words + align / 2u;
        info.cell_align = info.found_align = i < 12 ? 1 : 16;
        if (i % 6u < 2)
            *constants[i % 6u] = i % 12u < 6 ? p : words;
        else
            *arrays[i % 6u - 2u] = i % 12u < 6 ? p : words;
        snprintf(why, sizeof why, "%s = %p is not aligned to %u bytes", names[i % 6u], p, align);
        if (i % 12u < 6)
            refuse(ctx, &table, &d, HEDDLE_EINVAL, why);
        else {
            heddle_graph *g;
            CHECK_OK(ctx, heddle_wave_new(ctx, &table, &d, &g));
            heddle_graph_free(g);
        }
    }
}

/* Cells that stand behind the last address, or of which nobody can say how many bytes they take. */
static void test_addresses(heddle_ctx *ctx)
{
    heddle_wave_item items[2] = {{.rows = 4, .cols = 4}, {.rows = (uint64_t)1 << 31, .cols = (uint64_t)1 << 31}};
    heddle_wave_desc d = good();
    d.rows = d.cols = 0, d.cells = words, d.items = items, d.n_items = 1;
    items[0].cells_at = (uint64_t)-4;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE,
           "4 by 4 cells from cell 18446744073709551612 on goes beyond the last address");
    items[0].cells_at = UINT64_MAX / 4u - (uintptr_t)words / 4u;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE, "goes beyond the last address");
    items[0].cells_at = 0, d.n_items = 2, items[1].cells_at = 16;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE,
           "2147483648 by 2147483648 cells from cell 16 on goes beyond the last address");
    d.n_items = 1, d.row_cells = (uint64_t)-8;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE, "goes beyond the last address");
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

/* The table as if it had been compiled for blocks. */
static heddle_table blocks(heddle_wave_info *info)
{
    heddle_table table = endless;
    *info = endless.waves[endless_cell];
    info->n_shapes = 1;
    info->shapes = &shape;
    table.waves = info;
    return table;
}

static void test_shapes(heddle_ctx *ctx)
{
    heddle_wave_info info;
    const heddle_table table = blocks(&info);
    heddle_wave_desc d = good();
    d.n_warps = 1, d.lane_rows = 5, d.step_columns = 3;
    refuse(ctx, &table, &d, HEDDLE_EINVAL, "table endless has no shape of 5 rows a lane and 3 columns a step");
    d.lane_rows = d.step_columns = 0, d.n_warps = 32;
    refuse(ctx, &table, &d, HEDDLE_ERANGE, "32 warps; a block has room for 31");
    d = good(), d.rows = d.cols = 0, d.cells = words, d.layout = HEDDLE_LAYOUT_SKEWED, d.n_warps = 1;
    d.items = &(heddle_wave_item){.rows = 4, .cols = 4, .cells_at = 2}, d.n_items = 1;
    refuse(ctx, &table, &d, HEDDLE_EINVAL, "cells_at = 2; skewed, it is a multiple of 4");
}

/* The library is asked what it says of a GPU's table, without one. */
static void test_kernels(void)
{
    heddle_ctx *ctx = open_ctx(HEDDLE_CPU, HEDDLE_SCHEDULE_STATIC, 0);
    int is_in_order;
    ctx->config.backend = HEDDLE_CUDA;
    said(ctx, hd_wave_check_schedule(ctx, &endless, &endless.waves[endless_cell], &is_in_order), HEDDLE_ENODEV,
         "table endless was compiled without HEDDLE_WAVE_TILES: it has no kernel for schedule static");
    ctx->config.backend = HEDDLE_CPU;
    heddle_ctx_close(ctx);
}

static void test_blocks(heddle_ctx *ctx)
{
    heddle_ctx *teams = open_ctx(HEDDLE_SERIAL, HEDDLE_SCHEDULE_AUTO, 48);
    heddle_wave_info info;
    const heddle_table table = blocks(&info);
    heddle_wave_desc d = good();
    hd_wave_blocks = 1;
    test_shapes(ctx);
    refuse(teams, &table, &d, HEDDLE_EINVAL, "teams of 48 threads; a wave wants whole warps of 32");
    hd_wave_blocks = 0;
    heddle_ctx_close(teams);
}

/* ---- calls on graphs ------------------------------------------------------------------------------------------------- */

static void test_calls(heddle_ctx *ctx, const heddle_table *table, uint32_t body)
{
    static const uint8_t record[HEDDLE_MAX_ARG_BYTES];
    const heddle_wave_desc none = good();
    heddle_wave_desc d = none;
    heddle_graph *g;
    d.body = body;
    CHECK_OK(ctx, heddle_wave_new(ctx, table, &d, &g));
    for (size_t n = 0; n <= 64; n += 8)
        said(ctx, heddle_graph_set_args(g, 0, record, n), HEDDLE_EINVAL, "heddle_graph_set_args: the tasks of a wave");
    said(ctx, heddle_graph_set_team_size(g, 32), HEDDLE_EINVAL, "heddle_graph_set_team_size: a wave has the threads");
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    heddle_graph_free(g);
}

/* Of bodies of tiles there is a geometry, and no model. */
static void test_tiles(heddle_ctx *ctx)
{
    heddle_wave_desc d = good();
    heddle_wave_geometry at;
    heddle_wave_model model;
    heddle_graph *g;
    uint64_t ns;
    d.body = endless_tile, d.rows = 1000, d.cols = 700, d.band_rows = 96, d.tile_cols = 100;
    CHECK_OK(ctx, heddle_wave_new(ctx, &endless_tiles, &d, &g));
    CHECK_OK(ctx, heddle_wave_get_geometry(g, &at));
    CHECK(at.is_tile && at.band_rows == 96 && at.hand_cols == 128 && at.n_warps == 1 && !at.lane_rows);
    CHECK(at.model.bands == 11 && at.model.cols == 700 && at.model.lag == 0);
    said(ctx, heddle_wave_get_model(g, &model), HEDDLE_EINVAL, "heddle_wave_get_model: the graph is no wave of cells");
    said(ctx, heddle_wave_predict(g, 0, &ns), HEDDLE_EINVAL, "heddle_wave_predict: the graph is no wave of cells");
    heddle_graph_free(g);
}

/* ---- a GPU ------------------------------------------------------------------------------------------------------------ */

static void test_gpu(heddle_ctx *ctx)
{
    heddle_ctx *tasks = open_ctx(HEDDLE_CUDA, HEDDLE_SCHEDULE_STATIC, 0);
    heddle_wave_info info;
    const heddle_table table = blocks(&info);
    heddle_wave_desc d = good();
    shape.warp_bytes = 1u << 20;
    refuse(ctx, &table, &d, HEDDLE_ERANGE, "a warp of 4 rows a lane needs 1048576 bytes of block-shared memory");
    refuse(tasks, &endless, &d, HEDDLE_ENODEV,
           "table endless was compiled without HEDDLE_WAVE_TILES: it has no kernel for schedule static");
    shape.warp_bytes = 100000, d.n_warps = 8;
    refuse(ctx, &table, &d, HEDDLE_ERANGE, "the bands of a block take 800000 bytes of its memory, and it has ");
    d.n_warps = 32;
    refuse(ctx, &endless, &d, HEDDLE_ERANGE, "32 warps; a block has room for 31");
    heddle_ctx_close(tasks);
}

int main(int argc, char **argv)
{
    const int is_gpu = argc > 1 && !strcmp(argv[1], "--cuda");
    heddle_ctx *ctx;
    if (is_gpu && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    ctx = open_ctx(is_gpu ? HEDDLE_CUDA : HEDDLE_CPU, HEDDLE_SCHEDULE_WAVE, 0);
    test_fields(ctx);
    test_alignment(ctx);
    test_addresses(ctx);
    if (is_gpu)
        test_gpu(ctx);
    else {
        test_blocks(ctx);
        test_kernels();
    }
    test_calls(ctx, &endless, endless_cell);
    test_calls(ctx, &endless_tiles, endless_tile);
    test_tiles(ctx);
    heddle_ctx_close(ctx);
    return 0;
}
