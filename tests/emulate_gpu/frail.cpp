/* SPDX-License-Identifier: MIT */
/* frail.cpp - random waves of cells, sweeps and tiles that fail, as blocks of one to three warps, fewer blocks than
 * parts. The failure is the first one of plain loops, no band waits for ever, and the next run is right, even if the
 * wave was not told to start anew. So do their tiles as tasks, handed out as they come and by plan; bodies of tiles may
 * then report any of the failures.
 *
 * emulate_frail [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "wave/frail_bodies.c"
#include "wave/frail_cases.h"

extern "C" {
#include "engine/wave.h"
#include "run/run.h"
}

#define MOST 160u /* at most half as many rows, twice as many columns */
#ifndef STEPS
#define STEPS 80000000ull
#endif

typedef struct frail_run {
    frail_case c;
    heddle_graph *graph;
    words w;
    kernel_job job;
    char what[96];
} frail_run;

static void make(frail_run *r, heddle_ctx *ctx, uint64_t seed, uint32_t dispatch)
{
    uint64_t row = seed * 77u;
    const uint32_t n_warps = 1u + (uint32_t)check_below(&row, 3u);
    const heddle_wave_shape *shape = &frail.waves[0].shapes[check_below(&row, frail.waves[0].n_shapes)];
    words_config config = {};
    frail_case_make(&r->c, seed, ctx, MOST);
    hd_wave_blocks = 1;
    r->c.desc.n_warps = n_warps;
    r->c.desc.lane_rows = r->c.is_tile ? 0u : shape->rows;
    r->c.desc.step_columns = r->c.is_tile ? 0u : shape->columns;
    if (dispatch == HD_DISPATCH_ORDER)
        frail_case_starve(&r->c, 32u * shape->rows * n_warps);
    CHECK_OK(ctx, heddle_wave_new(ctx, r->c.table, &r->c.desc, &r->graph));
    config.dispatch = dispatch;
    config.n_workers = 1u + (uint32_t)check_below(&row, 4u);
    config.first_run = 1;
    words_make(&r->w, &r->graph->g, &config, &r->c.params);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(dispatch, 0);
    r->job.team = 32u * n_warps;
    snprintf(r->what, sizeof r->what, "seed %llu, R%u C%u, %u blocks of %u warps", (unsigned long long)seed,
             shape->rows, shape->columns, config.n_workers, n_warps);
}

static void check_failure(const frail_run *r, uint64_t seed, uint32_t dispatch)
{
    char text[256] = "";
    const uint32_t code = r->w.run.control->fail.code ? r->w.run.control->fail.code : r->w.end.code;
    if (r->w.end.stop != HD_STOP_FAILED)
        emu_fail("%s: the run ended with %u, and not: %s", r->what, r->w.end.stop, r->c.first);
    (void)r->graph->say_failure(r->graph, code, text, sizeof text);
    if (r->c.is_tile && dispatch != HD_DISPATCH_ORDER ? strncmp(text, r->c.anywhere, strlen(r->c.anywhere))
                                                      : strcmp(text, r->c.first))
        emu_fail("%s, run from %llu: %s; and not: %s", r->what, (unsigned long long)seed, text, r->c.first);
}

static void run_once(frail_run *r, uint64_t seed, uint32_t dispatch, int may_fail)
{
    frail_case_reset(&r->c, may_fail);
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    n_tasks_run += r->w.run.n_tasks;
    if (!r->c.first[0]) {
        if (r->w.end.stop != HD_STOP_DONE)
            emu_fail("%s: the run ended with %u", r->what, r->w.end.stop);
        frail_case_check(&r->c, r->what);
        return;
    }
    check_failure(r, seed, dispatch);
    words_clear(&r->w);
    if (seed % 2u || (r->c.is_tile && dispatch != HD_DISPATCH_ORDER))
        CHECK_OK(r->c.ctx, r->graph->start_anew(r->graph));
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    frail_run r = {};
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_TICKET;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, seed, dispatch);
    for (uint64_t i = 0; i < 4; i++)
        run_once(&r, seed + 1001u * i, dispatch, i != 2);
    words_free(&r.w);
    heddle_graph_free(r.graph);
    frail_case_free(&r.c);
    heddle_ctx_close(ctx);
}

/* A block has no room for all that a desc may ask for. */
static void refuse_block(const heddle_table *table)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = {};
    heddle_ctx *ctx;
    heddle_graph *g;
    config.backend = HEDDLE_CPU;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    hd_wave_blocks = 1;
    d.size = sizeof d;
    d.rows = d.cols = 10;
    d.n_warps = 32;
    CHECK(heddle_wave_new(ctx, table, &d, &g) == HEDDLE_ERANGE && !g);
    CHECK_MSG(strstr(heddle_error_text(ctx), "32 warps; a block has room for 31"), "%s", heddle_error_text(ctx));
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char n_cases[] = "24", *usual[] = {argv[0], n_cases, nullptr};
    argv = argc > 1 ? argv : usual;
    refuse_block(&frail);
    refuse_block(&frail_tiles);
    kernel_cases(2, argv, HD_DISPATCH_ORDER, run_case);
    kernel_cases(2, argv, HD_DISPATCH_TICKET, run_case);
    kernel_cases(2, argv, HD_DISPATCH_PLAN, run_case);
    return 0;
}
