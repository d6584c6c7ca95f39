/* SPDX-License-Identifier: MIT */
/* frail_same.c - random waves of cells, sweeps and tiles that fail, on the serial backend, on one to four threads, as
 * tasks under all schedules for them. With --cuda: on a GPU. The reported failure is the first one of plain loops;
 * of tiles that run as tasks it is any of the failures. The next run is right. HEDDLE_WAVES: how many. */
#include "wave/frail_cases.h"

#include <string.h>

typedef struct way {
    heddle_backend backend;
    uint32_t n_workers, n_warps, shape;
    heddle_schedule schedule;
} way;

static uint32_t n_failed, n_well;

static void run_once(frail_case *c, heddle_graph *g, const way *w, int may_fail, const char *how)
{
    heddle_status s;
    frail_case_reset(c, may_fail);
    s = heddle_graph_run(c->ctx, g, &c->params, sizeof c->params);
    if (!c->first[0]) {
        CHECK_OK(c->ctx, s);
        frail_case_check(c, how);
        n_well++;
        return;
    }
    CHECK_MSG(s == HEDDLE_EBODY, "%s, HEDDLE_SEED=%llu: ended with %d, and not: %s", how, (unsigned long long)c->seed,
              (int)s, c->first);
    if (c->is_tile && w->backend != HEDDLE_SERIAL && w->schedule != HEDDLE_SCHEDULE_WAVE)
        CHECK_MSG(!strncmp(heddle_error_text(c->ctx), c->anywhere, strlen(c->anywhere)), "%s",
                  heddle_error_text(c->ctx));
    else
        CHECK_MSG(!strcmp(heddle_error_text(c->ctx), c->first), "%s, HEDDLE_SEED=%llu: %s; and not: %s", how,
                  (unsigned long long)c->seed, heddle_error_text(c->ctx), c->first);
    n_failed++;
}

static void run(uint64_t seed, const way *w, uint64_t most)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    frail_case c;
    char how[128];
    config.backend = w->backend;
    config.n_workers = w->n_workers;
    config.schedule = w->schedule;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    frail_case_make(&c, seed, ctx, most);
    c.desc.n_warps = w->n_warps;
    if (w->n_warps && !c.is_tile) {
        c.desc.lane_rows = frail.waves[0].shapes[w->shape].rows;
        c.desc.step_columns = frail.waves[0].shapes[w->shape].columns;
    }
    if (w->schedule == HEDDLE_SCHEDULE_WAVE)
        frail_case_starve(&c, w->n_warps ? 32u * c.desc.lane_rows * w->n_warps : HD_LONE);
    CHECK_OK(ctx, heddle_wave_new(ctx, c.table, &c.desc, &g));
    snprintf(how, sizeof how, "%s %s, %u workers, %u warps in shape %u", heddle_backend_name(w->backend),
             heddle_schedule_name(w->schedule), w->n_workers, w->n_warps, w->shape);
    for (int i = 0; i < 4; i++)
        run_once(&c, g, w, i != 2, how);
    heddle_graph_free(g);
    frail_case_free(&c);
    heddle_ctx_close(ctx);
}

static void on_threads(uint64_t seed)
{
    static const heddle_schedule for_tasks[] = {
        HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_RINGS,     HEDDLE_SCHEDULE_TICKET, HEDDLE_SCHEDULE_CENTRAL,
        HEDDLE_SCHEDULE_IQS,    HEDDLE_SCHEDULE_SCHEDULER, HEDDLE_SCHEDULE_AUTO};
    way w = {.backend = HEDDLE_SERIAL};
    run(seed, &w, 400);
    w.backend = HEDDLE_CPU;
    w.schedule = HEDDLE_SCHEDULE_WAVE;
    for (w.n_workers = 1; w.n_workers <= 4; w.n_workers++)
        run(seed, &w, 400);
    w.n_workers = 1u + (uint32_t)(seed % 4u);
    w.schedule = for_tasks[seed / 4u % (sizeof for_tasks / sizeof for_tasks[0])];
    run(seed, &w, 300);
}

static void on_gpu(uint64_t seed)
{
    const way w = {.backend = HEDDLE_CUDA,
                   .schedule = seed % 4u ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_AUTO,
                   .n_warps = 1u + (uint32_t)(seed % 4u),
                   .shape = (uint32_t)(seed % frail.waves[0].n_shapes)};
    run(seed, &w, 1200);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 40u;
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    for (uint64_t seed = first; seed < first + n; seed++)
        (cuda ? on_gpu : on_threads)(seed);
    CHECK(n < 20 || (n_failed > n && n_well > n));
    printf("%llu frail waves: %u runs failed, %u went well\n", (unsigned long long)n, n_failed, n_well);
    return 0;
}
