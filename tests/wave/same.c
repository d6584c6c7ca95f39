/* SPDX-License-Identifier: MIT */
/* same.c - random waves on the serial backend and on one to four threads leave what plain loops leave; as tiles, too, under all
 * schedules for tasks; with --cuda on a GPU, in every shape. HEDDLE_WAVES: how many. */
#include "wave/cases.h"

#include <string.h>

/* Which way the last run went: as tiles only where that was asked for. */
static void check_schedule(heddle_ctx *ctx, heddle_graph *g, heddle_schedule asked)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    CHECK(stats.schedule == (asked ? asked : HEDDLE_SCHEDULE_WAVE));
}

static void run(uint64_t seed, heddle_backend backend, uint32_t n_workers, uint32_t n_warps, uint32_t shape,
                heddle_schedule schedule)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    wave_case c;
    char how[128];
    config.backend = backend;
    config.n_workers = n_workers;
    config.schedule = schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    wave_case_make(&c, seed, ctx, backend == HEDDLE_CUDA ? 1500 : backend == HEDDLE_CPU ? 700 : 300);
    if (backend == HEDDLE_SERIAL)
        wave_case_uncount(&c);
    if (n_warps) {
        c.desc.n_warps = n_warps;
        c.desc.lane_rows = mix.waves[0].shapes[shape].rows;
        c.desc.step_columns = mix.waves[0].shapes[shape].columns;
    }
    c.desc.tile_cols = (uint32_t)(seed * 7919u % 200u);
    wave_case_lay_out(&c);
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, &c.desc, &g));
    snprintf(how, sizeof how, "%s %s, %u workers, %u warps in shape %u, tiles of %u", heddle_backend_name(backend),
             heddle_schedule_name(schedule), n_workers, n_warps, shape, c.desc.tile_cols);
    for (int i = 0; i < 3; i++) {
        wave_case_reset(&c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c.params, sizeof c.params));
        wave_case_check(&c, how);
        if (backend != HEDDLE_SERIAL)
            check_schedule(ctx, g, schedule);
    }
    heddle_graph_free(g);
    wave_case_convert(&c, how);
    wave_case_free(&c);
    heddle_ctx_close(ctx);
}

static const heddle_schedule for_tasks[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_RINGS, HEDDLE_SCHEDULE_TICKET,
                                            HEDDLE_SCHEDULE_CENTRAL, HEDDLE_SCHEDULE_IQS};
#define N_FOR_TASKS (sizeof for_tasks / sizeof for_tasks[0])

static void on_gpu(uint64_t seed)
{
    uint32_t warps[] = {1, 2, 3, 4,
                        6}; /* one more schedules, and a block has at most 256 threads of that many registers */
    run(seed, HEDDLE_CUDA, 0, warps[seed % 5u], (uint32_t)(seed % mix.waves[0].n_shapes), HEDDLE_SCHEDULE_AUTO);
}

static void refuse(heddle_ctx *ctx, const heddle_wave_desc *d, const char *why)
{
    heddle_graph *g;
    CHECK_MSG(heddle_wave_new(ctx, &mix, d, &g) == HEDDLE_EINVAL && !g, "%s", why);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static uint32_t words[512];

static heddle_wave_desc good(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.rows = d.cols = 10;
    d.x = d.y = d.cells = words;
    return d;
}

/* Cells that have no room. On threads, skewed: 16 rows of a column more each, 25 steps. */
static void test_refused_cells(heddle_ctx *ctx)
{
    heddle_wave_item items[3] = {{.rows = 4, .cols = 10}, {.rows = 4, .cols = 10}, {.rows = 4, .cols = 10}};
    heddle_wave_desc d = good();
    heddle_graph *g;
    d.cells = (char *)words + 2;
    refuse(ctx, &d, "not aligned to 4 bytes");
    d = good(), d.n_cells = 99;
    refuse(ctx, &d, "a field of 10 by 10 has 100 cells from cell 0 on, and the array has 99");
    d.layout = HEDDLE_LAYOUT_SKEWED, d.n_cells = 399;
    refuse(ctx, &d, "a field of 10 by 10 has 400 cells from cell 0 on, and the array has 399");
    d.n_cells = 400;
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, &d, &g));
    heddle_graph_free(g);
    d = good(), d.rows = d.cols = 0, d.items = items, d.n_items = 3;
    items[1].cells_at = 40, items[2].cells_at = 79;
    refuse(ctx, &d, "items 1 and 2 have cells in the same place");
    items[2].cells_at = 80;
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, &d, &g));
    heddle_graph_free(g);
    d.layout = HEDDLE_LAYOUT_SKEWED;
    refuse(ctx, &d, "items 0 and 1 have cells in the same place");
    d.layout = HEDDLE_LAYOUT_ROWS, d.row_cells = 30; /* side by side */
    items[1].cells_at = 10, items[2].cells_at = 19;
    refuse(ctx, &d, "items 1 and 2 have cells in the same place");
    items[2].cells_at = 20;
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, &d, &g));
    heddle_graph_free(g);
    d.row_cells = 9;
    refuse(ctx, &d, "a row of 10 cells, with row_cells = 9");
}

/* What a wave of cells does not have. */
static void test_refused(heddle_ctx *ctx)
{
    heddle_wave_desc d = good();
    d.band_rows = 4;
    refuse(ctx, &d, "band_rows is for tiles, and mix_1 is a body of a cell");
    d = good(), d.layout = 2;
    refuse(ctx, &d, "layout 2 is unknown");
    d = good(), d.body = mix_fours, d.found_each = words;
    refuse(ctx, &d, "cell mix_fours finds nothing");
    d = good(), d.layout = HEDDLE_LAYOUT_SKEWED, d.cells = NULL;
    refuse(ctx, &d, "a skewed layout, and cells is NULL");
    d = good(), d.layout = HEDDLE_LAYOUT_SKEWED, d.row_cells = 10;
    refuse(ctx, &d, "row_cells is for cells by rows");
}

static void refuse_convert(heddle_ctx *ctx, uint32_t body, const heddle_wave_layout *from, const heddle_wave_layout *to,
                           void *to_cells, const char *why)
{
    CHECK(heddle_wave_convert(ctx, &mix, body, from, words, to, to_cells) == HEDDLE_EINVAL);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static void test_refused_layouts(heddle_ctx *ctx)
{
    heddle_wave_desc d = good();
    heddle_wave_layout l, other;
    CHECK(heddle_wave_get_layout(ctx, &mix, &d, 1, &l) == HEDDLE_EINVAL);
    CHECK(strstr(heddle_error_text(ctx), "item 1 of 1"));
    CHECK(heddle_wave_get_layout(ctx, &mix, &d, 0, NULL) == HEDDLE_EINVAL);
    d.layout = HEDDLE_LAYOUT_SKEWED;
    CHECK_OK(ctx, heddle_wave_get_layout(ctx, &mix, &d, 0, &l));
    refuse_convert(ctx, mix_1, NULL, NULL, words, "both layouts are NULL");
    refuse_convert(ctx, mix_n_bodies, NULL, &l, words, "there is no cell 17");
    refuse_convert(ctx, mix_1, NULL, &l, NULL, "to is NULL");
    other = l, other.cols++;
    refuse_convert(ctx, mix_1, &other, &l, words, "layout from is none that heddle_wave_get_layout made");
    d.cols++;
    CHECK_OK(ctx, heddle_wave_get_layout(ctx, &mix, &d, 0, &other));
    refuse_convert(ctx, mix_1, &other, &l, words, "from 10 by 11 cells to 10 by 10");
}

static void test_bad_input(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    test_refused(ctx);
    test_refused_cells(ctx);
    test_refused_layouts(ctx);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    test_bad_input();
    for (uint64_t seed = first; seed < first + n; seed++) {
        if (cuda) {
            on_gpu(seed);
            continue;
        }
        run(seed, HEDDLE_SERIAL, 0, 0, 0, HEDDLE_SCHEDULE_AUTO);
        run(seed, HEDDLE_CPU, 1u + (uint32_t)(seed % 4u), 0, 0, HEDDLE_SCHEDULE_AUTO);
        run(seed, HEDDLE_CPU, 1u + (uint32_t)(seed % 4u), 0, 0, for_tasks[seed / 4u % N_FOR_TASKS]);
    }
    printf("%llu waves, each run three times\n", (unsigned long long)n);
    return 0;
}
