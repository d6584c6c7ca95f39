/* SPDX-License-Identifier: MIT */
/* tiles.cpp - random waves of tiles as blocks of one to three warps, fewer blocks than bands. They leave the result of
 * plain loops; a run that is canceled or fails ends, and the next one is right. So do their tiles as tasks, handed out
 * as they come and by plan.
 *
 * emulate_tiles [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "wave/tiles.c"
#include "wave/tile_cases.h"

extern "C" {
#include "engine/wave.h"
#include "run/run.h"
}

#define MOST_ROWS 120u
#define MOST_COLS 400u
#define STEPS 40000000ull

typedef struct tile_run {
    tile_case c;
    heddle_graph *graph;
    words w;
    kernel_job job;
    char what[96];
} tile_run;

static void make(tile_run *r, heddle_ctx *ctx, uint64_t seed, uint32_t dispatch)
{
    uint64_t row = seed * 77u;
    words_config config = {};
    tile_case_make(&r->c, seed, ctx, MOST_ROWS, MOST_COLS);
    hd_wave_blocks = 1;
    r->c.desc.n_warps = 1u + (uint32_t)check_below(&row, 3u);
    CHECK_OK(ctx, heddle_wave_new(ctx, &tiles, &r->c.desc, &r->graph));
    config.dispatch = dispatch;
    config.n_workers = 1u + (uint32_t)check_below(&row, 4u);
    config.first_run = 1;
    config.n_trace = dispatch == HD_DISPATCH_ORDER && check_below(&row, 2u) ? 8192u : 0u;
    words_make(&r->w, &r->graph->g, &config, &r->c.params);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(dispatch, config.n_trace != 0);
    r->job.team = 32u * r->c.desc.n_warps;
    snprintf(r->what, sizeof r->what, "seed %llu, body %u, %u blocks of %u warps", (unsigned long long)seed,
             r->c.desc.body, config.n_workers, r->c.desc.n_warps);
}

static void run_well(tile_run *r, uint64_t seed)
{
    tile_case_reset(&r->c);
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    if (r->w.end.stop != HD_STOP_DONE)
        emu_fail("%s: the run ended with %u", r->what, r->w.end.stop);
    n_tasks_run += r->w.run.n_tasks;
    tile_case_check(&r->c, r->what);
    if (r->w.run.events)
        CHECK(words_stretches(&r->w, r->what) != 0);
}

static void run_badly(tile_run *r, uint64_t seed)
{
    tile_case_reset(&r->c);
    if (seed % 2u)
        tile_case_fail(&r->c);
    else
        r->job.cancel_at = 1u + seed % 4096u;
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    if (seed % 2u && r->w.end.stop != HD_STOP_FAILED)
        emu_fail("%s: the run did not fail, but ended with %u", r->what, r->w.end.stop);
    r->job.cancel_at = 0;
    words_clear(&r->w);
    CHECK_OK(r->c.ctx, r->graph->start_anew(r->graph));
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    tile_run r = {};
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_RINGS;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, seed, dispatch);
    run_well(&r, seed);
    run_well(&r, seed + 1000u);
    if (seed % 3u) {
        run_badly(&r, seed);
        run_well(&r, seed + 2000u);
    }
    words_free(&r.w);
    heddle_graph_free(r.graph);
    tile_case_free(&r.c);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char n_cases[] = "40", *usual[] = {argv[0], n_cases, nullptr};
    argv = argc > 1 ? argv : usual;
    kernel_cases(2, argv, HD_DISPATCH_ORDER, run_case);
    kernel_cases(2, argv, HD_DISPATCH_TICKET, run_case);
    kernel_cases(2, argv, HD_DISPATCH_PLAN, run_case);
    return 0;
}
