/* SPDX-License-Identifier: MIT */
/* same.c - random waves on the serial backend and on one to four threads leave what plain loops leave, also while auto
 * tries; so do tiles under all schedules for tasks; --cuda: on a GPU, in every shape, and some as tiles. HEDDLE_WAVES: how
 * many. */
#include "wave/cases.h"

#include <string.h>

static uint32_t n_as_tiles; /* runs that auto did as tiles */

/* The last run must have gone as asked; under auto, as described: as the wave or as tiles. Returns 1 while auto tries. */
static int check_schedule(heddle_ctx *ctx, heddle_graph *g, heddle_schedule asked)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    const char *how = heddle_graph_describe_run(g);
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    if (asked && asked != HEDDLE_SCHEDULE_DYNAMIC) /* which stands for several */
        CHECK(stats.schedule == asked);            /* a plan may be one of several that are tried */
    else if (!asked)
        CHECK_MSG((stats.schedule == HEDDLE_SCHEDULE_WAVE) == !strncmp(how, "wave", 4), "%s", how);
    CHECK_MSG(stats.is_trying || asked || strstr(how, "best of") || !strchr(how, ':'), "%s", how);
    n_as_tiles += !asked && stats.schedule != HEDDLE_SCHEDULE_WAVE;
    return (int)stats.is_trying;
}

typedef struct way {
    heddle_backend backend;
    uint32_t n_workers;
    heddle_schedule schedule;
    uint32_t n_warps, shape; /* n_warps 0: the library chooses */
    const heddle_table *table;
} way;

static void make(wave_case *c, uint64_t seed, const way *w, heddle_ctx *ctx)
{
    wave_case_make(c, w->table, seed, ctx, w->backend == HEDDLE_CUDA ? 1500 : w->backend == HEDDLE_CPU ? 700 : 300);
    if (w->backend == HEDDLE_SERIAL)
        wave_case_uncount(c);
    if (w->n_warps) {
        const heddle_wave_shape *shape = &w->table->waves[0].shapes[w->shape];
        c->desc.n_warps = w->n_warps;
        c->desc.lane_rows = shape->rows;
        c->desc.step_columns = shape->columns;
    }
    c->desc.tile_cols = seed % 3u || w->schedule ? (uint32_t)(seed * 7919u % 200u) : 0u;
    wave_case_lay_out(c);
}

static void run(uint64_t seed, const way *w)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    wave_case c;
    char how[128];
    int is_trying = 0;
    config.backend = w->backend;
    config.n_workers = w->n_workers;
    config.schedule = w->schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&c, seed, w, ctx);
    CHECK_OK(ctx, heddle_wave_new(ctx, w->table, &c.desc, &g));
    snprintf(how, sizeof how, "%s %s, %u workers, %u warps in shape %u, tiles of %u", heddle_backend_name(w->backend),
             heddle_schedule_name(w->schedule), w->n_workers, w->n_warps, w->shape, c.desc.tile_cols);
    for (int i = 0; i < 3 || is_trying; i++) {
        CHECK(i < 400);
        wave_case_reset(&c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c.params, sizeof c.params));
        wave_case_check(&c, how);
        if (w->backend != HEDDLE_SERIAL)
            is_trying = check_schedule(ctx, g, w->schedule);
    }
    heddle_graph_free(g);
    wave_case_convert(&c, how);
    wave_case_free(&c);
    heddle_ctx_close(ctx);
}

static const void *move_cell(const void *from, uint32_t to[4])
{
    return from ? memcpy(to, from, sizeof(uint32_t[4])) : NULL;
}

/* Makes a wave from a desc, items and cells that are overwritten after the call. */
static heddle_graph *wave_of_copy(const wave_case *c)
{
    heddle_wave_desc d = c->desc;
    heddle_wave_item items[8];
    uint32_t cells[4][4];
    heddle_graph *g;
    memcpy(items, c->items, sizeof items);
    d.items = d.items ? items : NULL;
    d.north.constant = move_cell(d.north.constant, cells[0]);
    d.west.constant = move_cell(d.west.constant, cells[1]);
    d.corner = move_cell(d.corner, cells[2]);
    d.east = move_cell(d.east, cells[3]);
    CHECK_OK(c->ctx, heddle_wave_new(c->ctx, &mix, &d, &g));
    memset(items, 0xee, sizeof items);
    memset(cells, 0xee, sizeof cells);
    memset(&d, 0xee, sizeof d);
    return g;
}

/* Runs under auto until it has chosen, under schedule wave, and under auto again; a wave has no plans. */
static void test_reconfigured(uint64_t seed)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    wave_case c;
    config.backend = HEDDLE_CPU;
    config.n_workers = 2;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    wave_case_make(&c, &mix, seed, ctx, 300);
    wave_case_uncount(&c);
    c.desc.last_col_count = NULL;
    wave_case_lay_out(&c);
    g = wave_of_copy(&c);
    for (int i = 0; i < 60; i++) {
        if (i % 20 == 0) {
            config.schedule = i == 20 ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_AUTO;
            CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, &config));
        }
        wave_case_reset(&c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c.params, sizeof c.params));
        wave_case_check(&c, "reconfigured");
        CHECK(!check_schedule(ctx, g, config.schedule) || i < 19);
        CHECK(heddle_graph_replan(g, 2) == HEDDLE_EINVAL && strstr(heddle_error_text(ctx), "a wave is run in order"));
    }
    heddle_graph_free(g);
    wave_case_free(&c);
    heddle_ctx_close(ctx);
}

/* The wave with each number of workers; its tiles, too, under a schedule each. */
static void on_threads(uint64_t seed)
{
    static const heddle_schedule for_tasks[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_RINGS,
                                                HEDDLE_SCHEDULE_TICKET, HEDDLE_SCHEDULE_CENTRAL,
                                                HEDDLE_SCHEDULE_IQS,    HEDDLE_SCHEDULE_SCHEDULER};
    way w = {HEDDLE_SERIAL, 0, HEDDLE_SCHEDULE_AUTO, 0, 0, &mix};
    run(seed, &w);
    w.backend = HEDDLE_CPU;
    w.n_workers = 1u + (uint32_t)(seed % 4u);
    run(seed, &w);
    for (w.n_workers = 1; w.n_workers <= 4u; w.n_workers++) {
        w.schedule = HEDDLE_SCHEDULE_WAVE;
        run(seed, &w);
        w.schedule = for_tasks[(seed + w.n_workers) % (sizeof for_tasks / sizeof for_tasks[0])];
        run(seed, &w);
    }
}

static void on_gpu(uint64_t seed)
{
    static const heddle_schedule for_tasks[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_DYNAMIC, HEDDLE_SCHEDULE_LEVELS,
                                                HEDDLE_SCHEDULE_GRAPH, HEDDLE_SCHEDULE_GRAPH_PDL};
    uint32_t warps[] = {1, 2, 3, 4,
                        6}; /* one more schedules, and a block has at most 256 threads of that many registers */
    way w = {HEDDLE_CUDA, 0, HEDDLE_SCHEDULE_WAVE, warps[seed % 5u], (uint32_t)(seed % mix.waves[0].n_shapes), &mix};
    const way tiles = {HEDDLE_CUDA, 0, for_tasks[seed % (sizeof for_tasks / sizeof for_tasks[0])], 0, 0, &mix_as_tiles};
    run(seed, &w);
    run(seed, &tiles);
    if (seed % 10u)
        return;
    w.schedule = HEDDLE_SCHEDULE_AUTO; /* all shapes, or tiles in all ways */
    w.n_warps = w.shape = 0;
    w.table = seed % 20u ? &mix : &mix_as_tiles;
    run(seed, &w);
}

static void refuse(heddle_ctx *ctx, const heddle_wave_desc *d, const char *why)
{
    heddle_graph *g;
    CHECK_MSG(heddle_wave_new(ctx, &mix, d, &g) == HEDDLE_EINVAL && !g, "%s", why);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static uint32_t words[512] __attribute__((aligned(16)));

static heddle_wave_desc good(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.rows = d.cols = 10;
    d.x = d.y = d.cells = words;
    return d;
}

/* heddle refuses infos that the macros never make: a copy of mix with one changed. */
static void refuse_info(heddle_ctx *ctx, const heddle_wave_info *info, const char *why)
{
    heddle_table table = mix;
    heddle_wave_desc d = good();
    heddle_graph *g;
    table.waves = info;
    CHECK_MSG(heddle_wave_new(ctx, &table, &d, &g) == HEDDLE_EINVAL && !g, "%s", why);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static void test_refused_tables(heddle_ctx *ctx)
{
    const uint32_t sizes[] = {0, 2, 6, 20};
    heddle_wave_info info = mix.waves[0];
    char why[64];
    refuse_info(ctx, NULL, "table mix was not made by HEDDLE_WAVES or HEDDLE_TILES");
    info.neighbours = 0;
    refuse_info(ctx, &info, "cell mix_1 has an empty set of neighbours");
    info = mix.waves[0];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        info.cell_bytes = sizes[i];
        snprintf(why, sizeof why, "cell mix_1 has %u bytes; it can have 4, 8, 12 or 16", sizes[i]);
        refuse_info(ctx, &info, why);
    }
}

/* Sizes that no field has, for one field and for several. */
static void test_refused_sizes(heddle_ctx *ctx)
{
    const struct {
        uint64_t n;
        heddle_status status;
        const char *why;
    } bad[] = {{0, HEDDLE_EINVAL, "a field of 0 "},
               {(uint64_t)-5, HEDDLE_EINVAL, "a field of -5 "},
               {(1ull << 31) + 1u, HEDDLE_ERANGE, "a field of 2147483649 "}};
    for (size_t i = 0; i < 4u * (sizeof bad / sizeof bad[0]); i++) {
        const char *what = i % 2u ? "columns" : "rows";
        heddle_wave_item item = {.rows = 4, .cols = 4};
        heddle_wave_desc d = good();
        heddle_graph *g;
        *(i % 2u ? &item.cols : &item.rows) = bad[i / 4u].n;
        d.rows = item.rows, d.cols = item.cols;
        if (i / 2u % 2u)
            d.rows = d.cols = 0, d.items = &item, d.n_items = 1;
        CHECK(heddle_wave_new(ctx, &mix, &d, &g) == bad[i / 4u].status && !g);
        CHECK_MSG(strstr(heddle_error_text(ctx), bad[i / 4u].why) && strstr(heddle_error_text(ctx), what), "%s",
                  heddle_error_text(ctx));
    }
}

/* Arrays that are missing or misaligned. */
static void test_refused_arrays(heddle_ctx *ctx)
{
    heddle_wave_desc d = good();
    d.x = NULL;
    refuse(ctx, &d, "x is NULL, and cell mix_1 reads 1 bytes of it for each row");
    d = good(), d.y = NULL;
    refuse(ctx, &d, "y is NULL, and cell mix_1 reads 2 bytes of it for each column");
    d = good(), d.y = (char *)words + 1;
    refuse(ctx, &d, "is not aligned to 2 bytes");
    d = good(), d.body = mix_pairs, d.y = (char *)words + 2;
    refuse(ctx, &d, "is not aligned to 4 bytes");
    d = good(), d.body = mix_pairs, d.cells = (char *)words + 4;
    refuse(ctx, &d, "is not aligned to 8 bytes");
    d = good(), d.body = mix_fours, d.cells = (char *)words + 8;
    refuse(ctx, &d, "is not aligned to 16 bytes");
}

/* Arrays too small for the cells. Skewed on threads a field of 10 by 10 takes 25 steps of 16 rows. */
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

/* Options that a wave of cells does not have. */
static void test_refused(heddle_ctx *ctx)
{
    heddle_wave_desc d = good();
    d.body = mix_n_bodies;
    refuse(ctx, &d, "table mix has 19 cells, there is no cell 19");
    d = good(), d.sweeps = 3;
    refuse(ctx, &d, "3 sweeps, and cell mix_1 reads nothing of the sweep before");
    d = good(), d.band_rows = 4;
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
    refuse_convert(ctx, mix_n_bodies, NULL, &l, words, "there is no cell 19");
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
    test_refused_tables(ctx);
    test_refused_sizes(ctx);
    test_refused_arrays(ctx);
    test_refused_cells(ctx);
    test_refused_layouts(ctx);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : cuda ? 60u : 24u;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    test_bad_input();
    if (!cuda)
        for (uint64_t seed = 1; seed <= 6; seed++)
            test_reconfigured(seed);
    for (uint64_t seed = first; seed < first + n; seed++)
        if (cuda)
            on_gpu(seed);
        else
            on_threads(seed);
    CHECK(n_as_tiles || n < 20);
    printf("%llu waves, each run three times or as often as auto tries; %u of these as tiles\n", (unsigned long long)n,
           n_as_tiles);
    return 0;
}
