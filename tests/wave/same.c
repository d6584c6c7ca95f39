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
    if (n_warps) {
        c.desc.n_warps = n_warps;
        c.desc.lane_rows = mix.waves[0].shapes[shape].rows;
        c.desc.step_columns = mix.waves[0].shapes[shape].columns;
    }
    c.desc.tile_cols = (uint32_t)(seed * 7919u % 200u);
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

/* What a wave of cells does not have. */
static void test_refused(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    uint32_t words[16] = {0};
    heddle_ctx *ctx;
    heddle_graph *g;
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.rows = d.cols = 10;
    d.band_rows = 4;
    CHECK(heddle_wave_new(ctx, &mix, &d, &g) == HEDDLE_EINVAL && !g);
    CHECK(strstr(heddle_error_text(ctx), "band_rows is for tiles, and mix_1 is a body of a cell"));
    d.band_rows = 0;
    d.body = mix_fours;
    d.x = words;
    d.found_each = words;
    CHECK(heddle_wave_new(ctx, &mix, &d, &g) == HEDDLE_EINVAL && !g);
    CHECK(strstr(heddle_error_text(ctx), "cell mix_fours finds nothing"));
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
