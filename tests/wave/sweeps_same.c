/* SPDX-License-Identifier: MIT */
/* sweeps_same.c - random sweeps in place on the serial backend and on one to four threads leave what plain loops leave;
 * also as tiles under all schedules for tasks; with --cuda on a GPU, in every shape. Where cells are C, with all sets of
 * neighbours. HEDDLE_WAVES: how many. */
#include "wave/halves.h"
#include "wave/sweep_cases.h"

#include <string.h>

typedef struct way {
    heddle_backend backend;
    uint32_t n_workers, n_warps, shape;
    heddle_schedule schedule;
} way;

static void run(uint64_t seed, const way *w)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    sweep_case c;
    char how[128];
    config.backend = w->backend;
    config.n_workers = w->n_workers;
    config.schedule = w->schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    sweep_case_make(&c, seed, ctx, w->backend == HEDDLE_CUDA ? 900 : 300);
    if (w->n_warps) {
        c.desc.n_warps = w->n_warps;
        c.desc.lane_rows = sweeps.waves[0].shapes[w->shape].rows;
        c.desc.step_columns = sweeps.waves[0].shapes[w->shape].columns;
    }
    c.desc.tile_cols = (uint32_t)(seed * 7919u % 200u);
    CHECK_OK(ctx, heddle_wave_new(ctx, &sweeps, &c.desc, &g));
    snprintf(how, sizeof how, "%s %s, %u workers, %u warps in shape %u, tiles of %u", heddle_backend_name(w->backend),
             heddle_schedule_name(w->schedule), w->n_workers, w->n_warps, w->shape, c.desc.tile_cols);
    for (int i = 0; i < 3; i++) {
        sweep_case_reset(&c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c.params, sizeof c.params));
        sweep_case_check(&c, how);
    }
    heddle_graph_free(g);
    sweep_case_free(&c);
    heddle_ctx_close(ctx);
}

static void on_threads(uint64_t seed)
{
    static const heddle_schedule for_tasks[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_RINGS,
                                                HEDDLE_SCHEDULE_TICKET, HEDDLE_SCHEDULE_CENTRAL,
                                                HEDDLE_SCHEDULE_IQS,    HEDDLE_SCHEDULE_SCHEDULER};
    way w = {.backend = HEDDLE_SERIAL};
    run(seed, &w);
    w.backend = HEDDLE_CPU;
    w.n_workers = 1u + (uint32_t)(seed % 4u);
    run(seed, &w);
    w.schedule = for_tasks[seed / 4u % (sizeof for_tasks / sizeof for_tasks[0])];
    run(seed, &w);
}

static void on_gpu(uint64_t seed)
{
    const way w = {.backend = HEDDLE_CUDA,
                   .n_warps = 1u + (uint32_t)(seed % 4u),
                   .shape = (uint32_t)(seed % sweeps.waves[0].n_shapes)};
    run(seed, &w);
}

static void refuse(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *d, const char *sentence)
{
    heddle_graph *g;
    CHECK(heddle_wave_new(ctx, table, d, &g) == HEDDLE_EINVAL && !g);
    CHECK_MSG(strstr(heddle_error_text(ctx), sentence), "%s", heddle_error_text(ctx));
}

static void test_refused(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_ctx *ctx;
    uint32_t field[100] = {0};
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.rows = d.cols = 10;
    d.sweeps = 2;
    refuse(ctx, &halves, &d, "2 sweeps, and cell half_cell reads nothing of the sweep before");
    refuse(ctx, &sweeps, &d, "cells is NULL, and cell sweep_1 sweeps over them");
    d.cells = (char *)field + 2;
    refuse(ctx, &sweeps, &d, "is not aligned to 4 bytes");
    d.cells = field;
    d.north.constant = field;
    refuse(ctx, &sweeps, &d, "cell sweep_1 is one of sweeps, which have no border north");
    d.north.constant = NULL;
    d.last_col = field;
    refuse(ctx, &sweeps, &d, "which have no last_col");
    d.last_col = NULL;
    d.row_cells = 9;
    refuse(ctx, &sweeps, &d, "a row of 10 cells, with row_cells = 9 to the next");
    d.row_cells = 0;
    d.layout = HEDDLE_LAYOUT_SKEWED;
    refuse(ctx, &sweeps, &d, "one of sweeps, whose field stands by rows");
    heddle_ctx_close(ctx);
}

/* Rows of borders: each of k sweeps that go together hands on a word more, and passes take turns with few rows. Not more than 16
 * bytes * columns * (workers + 1) * (k + 1) / 3. */
static void test_memory(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_wave_geometry is;
    heddle_ctx *ctx;
    config.backend = HEDDLE_CPU;
    config.n_workers = 16;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.body = sweep_4;
    d.rows = 300, d.cols = 20000;
    CHECK_OK(ctx, heddle_mem_new(ctx, d.rows * d.cols * 4u, &d.cells));
    for (d.sweeps = 4; d.sweeps <= 64u; d.sweeps *= 4u) {
        heddle_graph *g;
        CHECK_OK(ctx, heddle_wave_new(ctx, &sweeps, &d, &g));
        CHECK_OK(ctx, heddle_wave_get_geometry(g, &is));
        CHECK(is.border_bytes >= 8u * 5u * d.cols && is.own_bytes > is.border_bytes);
        CHECK_MSG(is.own_bytes <= 16u * d.cols * (config.n_workers + 1u) * 5u / 3u, "%u sweeps: %llu bytes", d.sweeps,
                  (unsigned long long)is.own_bytes);
        heddle_graph_free(g);
    }
    heddle_mem_free(ctx, d.cells);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    test_refused();
    test_memory();
    for (uint64_t seed = first; seed < first + n; seed++)
        if (cuda)
            on_gpu(seed);
        else
            on_threads(seed);
    printf("%llu times sweeps, each run three times\n", (unsigned long long)n);
    return 0;
}
