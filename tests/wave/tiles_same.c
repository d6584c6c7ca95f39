/* SPDX-License-Identifier: MIT */
/* tiles_same.c - random waves of tiles leave what plain loops leave: on the serial backend, by one thread and by teams;
 * on one to four threads, in both ways that auto tries; as tasks under all schedules for them; with --cuda on a GPU.
 * Failed or canceled runs end, the next one is right; options that tiles lack are refused. HEDDLE_WAVES: how many. */
#include "wave/tile_cases.h"

#include <string.h>

typedef struct way {
    heddle_backend backend;
    uint32_t n_workers, team_size;
    heddle_schedule schedule;
} way;

static uint32_t n_waited; /* runs in which workers had bands to hand on */

static uint32_t n_as_tasks; /* runs that auto did as tasks */

/* The last run must have gone as asked; under auto, as described. Returns 1 while auto tries. */
static int check_schedule(heddle_ctx *ctx, heddle_graph *g, heddle_schedule asked)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    const char *how = heddle_graph_describe_run(g);
    CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
    if (asked)
        CHECK(stats.schedule == asked);
    else
        CHECK_MSG((stats.schedule != HEDDLE_SCHEDULE_WAVE) == !strncmp(how, "tiles: ", 7), "%s", how);
    n_as_tasks += !asked && stats.schedule != HEDDLE_SCHEDULE_WAVE;
    return (int)stats.is_trying;
}

static int run_well(tile_case *c, heddle_graph *g, const way *w, const char *how)
{
    tile_case_reset(c);
    CHECK_OK(c->ctx, heddle_graph_run(c->ctx, g, &c->params, sizeof c->params));
    tile_case_check(c, how);
    return w->backend != HEDDLE_SERIAL && check_schedule(c->ctx, g, w->schedule);
}

/* Cancels after a while, which may be too late. */
static void run_canceled(tile_case *c, heddle_graph *g)
{
    heddle_job *job;
    heddle_status s;
    tile_case_reset(c);
    CHECK_OK(c->ctx, heddle_graph_submit(c->ctx, g, &c->params, sizeof c->params, &job));
    for (uint64_t n = check_below(&c->row, 20000u); n; n--)
        (void)heddle_job_test(job);
    heddle_job_cancel(job);
    s = heddle_job_wait(job, HEDDLE_FOREVER);
    CHECK(s == HEDDLE_OK || s == HEDDLE_ECANCELED);
    heddle_job_free(job);
}

static void run_failing(tile_case *c, heddle_graph *g)
{
    tile_case_reset(c);
    tile_case_fail(c);
    CHECK(heddle_graph_run(c->ctx, g, &c->params, sizeof c->params) == HEDDLE_EBODY);
    CHECK_MSG(strstr(heddle_error_text(c->ctx), tiles.bodies[c->desc.body].name), "%s", heddle_error_text(c->ctx));
}

static void run(uint64_t seed, const way *w, uint64_t most_rows, uint64_t most_cols)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    tile_case c;
    char how[128];
    config.backend = w->backend;
    config.n_workers = w->n_workers;
    config.team_size = w->team_size;
    config.schedule = w->schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    tile_case_make(&c, seed, ctx, most_rows, most_cols);
    CHECK_OK(ctx, heddle_wave_new(ctx, &tiles, &c.desc, &g));
    snprintf(how, sizeof how, "%s %s, %u workers of %u", heddle_backend_name(w->backend),
             heddle_schedule_name(w->schedule), w->n_workers, w->team_size);
    for (uint32_t i = seed / 2u % 6u; i + 1u; i--) /* so auto tries different ways when the run goes wrong */
        (void)run_well(&c, g, w, how);
    if (seed % 2u)
        run_failing(&c, g);
    else
        run_canceled(&c, g);
    for (uint32_t i = 0; run_well(&c, g, w, how); i++)
        CHECK(i < 200);
    n_waited += w->n_workers > 1 && !w->schedule && c.items[0].rows > c.desc.band_rows;
    heddle_graph_free(g);
    tile_case_free(&c);
    heddle_ctx_close(ctx);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refuse(heddle_ctx *ctx, const heddle_wave_desc *d, const char *why)
{
    heddle_graph *g;
    CHECK_MSG(heddle_wave_new(ctx, &tiles, d, &g) != HEDDLE_OK && !g, "%s", why);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static heddle_wave_desc good(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = tiles_down;
    d.rows = d.cols = 100;
    return d;
}

/* Sizes beyond any machine. */
static void test_too_large(heddle_ctx *ctx)
{
    enum { many = 1u << 16 };
    heddle_wave_item *items = calloc(many, sizeof *items);
    heddle_wave_desc d = good();
    heddle_graph *g;
    CHECK(items);
    for (uint32_t i = 0; i < many; i++)
        items[i] = (heddle_wave_item){.rows = 1, .cols = 1u << 31};
    d.rows = d.cols = 0, d.items = items, d.n_items = many;
    CHECK(heddle_wave_new(ctx, &tiles, &d, &g) == HEDDLE_ENOMEM && !g);
    CHECK_MSG(strstr(heddle_error_text(ctx), "what bands hand on and keep takes 33") &&
                  strstr(heddle_error_text(ctx), " bytes, and ") && strstr(heddle_error_text(ctx), " are free"),
              "%s", heddle_error_text(ctx));
    free(items);
}

static void test_refused(void)
{
    uint32_t words[4] = {0};
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = good();
    heddle_ctx *ctx;
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.rows = 0;
    refuse(ctx, &d, "0 rows");
    d = good(), d.body = tiles_n_bodies;
    refuse(ctx, &d, "there is no cell 4");
    d = good(), d.cells = words;
    refuse(ctx, &d, "x, y, cells are for cells, and tiles_down is a body of a tile");
    d = good(), d.corner = words;
    refuse(ctx, &d, "corner");
    d = good(), d.found = words;
    refuse(ctx, &d, "found");
    d = good(), d.found_each = words;
    refuse(ctx, &d, "found");
    d = good(), d.layout = HEDDLE_LAYOUT_SKEWED;
    refuse(ctx, &d, "layout, n_cells");
    d = good(), d.lane_rows = 4;
    refuse(ctx, &d, "lane_rows");
    d = good(), d.north.constant = words;
    refuse(ctx, &d, "an array or nothing");
    d = good(), d.north.array = (const char *)words + 1;
    refuse(ctx, &d, "not aligned");
    d = good(), d.band_rows = 0x80000000u;
    refuse(ctx, &d, "2^30");
    d = good(), d.rows = 1u << 25, d.band_rows = 1;
    refuse(ctx, &d, "larger tiles");
    test_too_large(ctx);
    heddle_ctx_close(ctx);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static const heddle_schedule for_tasks[] = {HEDDLE_SCHEDULE_STATIC,  HEDDLE_SCHEDULE_RINGS, HEDDLE_SCHEDULE_TICKET,
                                            HEDDLE_SCHEDULE_CENTRAL, HEDDLE_SCHEDULE_IQS,   HEDDLE_SCHEDULE_SCHEDULER,
                                            HEDDLE_SCHEDULE_WAVE};
#define N_FOR_TASKS (sizeof for_tasks / sizeof for_tasks[0])

static void on_host(uint64_t seed)
{
    const uint32_t n = 1u + (uint32_t)(seed % 4u);
    const way alone = {HEDDLE_SERIAL, 0, 0, HEDDLE_SCHEDULE_AUTO},
              teams = {HEDDLE_SERIAL, 0, 2u + n, HEDDLE_SCHEDULE_AUTO},
              threads = {HEDDLE_CPU, n, 0, HEDDLE_SCHEDULE_AUTO},
              tasks = {HEDDLE_CPU, n, 0, for_tasks[seed / 4u % N_FOR_TASKS]};
    run(seed, &alone, 300, 700);
    run(seed, &threads, 300, 1500);
    run(seed, &tasks, 200, 700);
    if (seed % 4u == 0)
        run(seed, &teams, 60, 300);
}

static void on_gpu(uint64_t seed)
{
    static const uint32_t teams[] = {0, 32, 96, 256, 128};
    const way w = {HEDDLE_CUDA, seed % 7u == 0 ? 2u : 0u, teams[seed % 5u], HEDDLE_SCHEDULE_AUTO};
    run(seed, &w, 700, 3000);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    if (!cuda)
        test_refused();
    for (uint64_t seed = first; seed < first + n; seed++)
        (cuda ? on_gpu : on_host)(seed);
    CHECK(cuda || n < 20 || n_waited > n / 4u);
    CHECK(cuda || n < 20 || n_as_tasks > n / 4u);
    printf("%llu waves of tiles, each run four times or more; %u runs as tasks where that was left open\n",
           (unsigned long long)n, n_as_tasks);
    return 0;
}
