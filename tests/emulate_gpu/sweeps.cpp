/* SPDX-License-Identifier: MIT */
/* sweeps.cpp - random sweeps in place as blocks of one to three warps, fewer blocks than parts. In every shape they
 * leave the result of plain loops; a canceled run ends, and the next one is right. So do their tiles as tasks, handed
 * out as they come and by plan; and the strides of a field.
 *
 * emulate_sweeps [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "wave/sweeps.c"
#include "wave/stride_cases.h"
#include "wave/sweep_cases.h"

extern "C" {
#include "engine/wave.h"
#include "run/run.h"
}

#define MOST 300u /* rows, columns */
#define STEPS 80000000ull

typedef struct sweep_run {
    sweep_case c;
    heddle_graph *graph;
    words w;
    kernel_job job;
    char what[96];
} sweep_run;

static void make_graph(sweep_run *r, heddle_ctx *ctx, uint64_t seed, uint32_t dispatch)
{
    uint64_t row = seed * 77u;
    const uint32_t n_warps = 1u + (uint32_t)check_below(&row, 3u);
    const heddle_wave_shape *shape = stride_shape(&sweeps.waves[0], &r->c.desc, &row);
    words_config config = {};
    hd_wave_blocks = 1;
    r->c.desc.n_warps = n_warps;
    r->c.desc.lane_rows = shape->rows;
    r->c.desc.step_columns = shape->columns;
    r->c.desc.tile_cols = 1u + (uint32_t)check_below(&row, 300u);
    CHECK_OK(ctx, heddle_wave_new(ctx, &sweeps, &r->c.desc, &r->graph));
    config.dispatch = dispatch;
    config.n_workers = 1u + (uint32_t)check_below(&row, 4u);
    config.first_run = 1;
    config.n_trace = dispatch == HD_DISPATCH_ORDER && check_below(&row, 2u) ? 8192u : 0u;
    words_make(&r->w, &r->graph->g, &config, &r->c.params);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(dispatch, config.n_trace != 0);
    r->job.team = 32u * n_warps;
    snprintf(r->what, sizeof r->what, "seed %llu, R%u C%u, %u blocks of %u warps", (unsigned long long)seed,
             shape->rows, shape->columns, config.n_workers, n_warps);
}

static void make(sweep_run *r, heddle_ctx *ctx, uint64_t seed, uint32_t dispatch)
{
    sweep_case_make(&r->c, seed, ctx, MOST);
    make_graph(r, ctx, seed, dispatch);
}

/* In some cases tags run out in the first run, in the second, or after the canceled one. */
static void set_tags(sweep_run *r, uint64_t seed)
{
    const hd_wave *wave = static_cast<const hd_wave *>(r->graph->own);
    if (seed % 4u)
        wave->words->base = (uint32_t)HD_WAVE_TAG_MOST - (uint32_t)(seed % 4u) * wave->n_tags;
}

static void run_well(sweep_run *r, uint64_t seed)
{
    sweep_case_reset(&r->c);
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    if (r->w.end.stop != HD_STOP_DONE)
        emu_fail("%s: the run ended with %u", r->what, r->w.end.stop);
    n_tasks_run += r->w.run.n_tasks;
    sweep_case_check(&r->c, r->what);
    if (r->w.run.events && r->w.run.dispatch == HD_DISPATCH_ORDER)
        CHECK(words_stretches(&r->w, r->what) != 0);
}

static void run_canceled(sweep_run *r, uint64_t seed)
{
    r->job.cancel_at = 1u + seed % 4096u;
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    r->job.cancel_at = 0;
    words_clear(&r->w);
    CHECK_OK(r->c.ctx, r->graph->start_anew(r->graph));
}

static void run_case(uint64_t seed, uint32_t dispatch)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    sweep_run r = {};
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_TICKET;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, seed, dispatch);
    set_tags(&r, seed);
    run_well(&r, seed);
    run_well(&r, seed + 1000u);
    if (seed % 3u == 0) {
        run_canceled(&r, seed);
        run_well(&r, seed + 2000u);
    }
    words_free(&r.w);
    heddle_graph_free(r.graph);
    sweep_case_free(&r.c);
    heddle_ctx_close(ctx);
}

/* The strides of a field, one after the other, twice. */
static void run_strides(uint64_t seed, uint32_t dispatch)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    sweep_case field;
    stride_case c;
    uint64_t row = seed;
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_TICKET;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    sweep_case_make(&field, seed, ctx, MOST);
    if (stride_case_make(&c, ctx, &sweeps, &field.desc, 128u, &row)) {
        for (uint32_t k = 0; k < 2u * c.n; k++) {
            sweep_run r = {};
            if (k % c.n == 0) {
                stride_case_reset(&c);
                sweep_case_reset(&field);
            }
            r.c = field;
            r.c.desc = c.strides[k % c.n];
            make_graph(&r, ctx, seed + k, dispatch);
            n_switches += kernel_run(&r.job, seed, STEPS, r.what);
            if (r.w.end.stop != HD_STOP_DONE)
                emu_fail("%s: a stride ended with %u", r.what, r.w.end.stop);
            n_tasks_run += r.w.run.n_tasks;
            words_free(&r.w);
            heddle_graph_free(r.graph);
            if (k % c.n + 1u == c.n)
                sweep_case_check(&field, "strides");
        }
        stride_case_free(&c);
    }
    sweep_case_free(&field);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char n_cases[] = "20", *usual[] = {argv[0], n_cases, nullptr};
    argv = argc > 1 ? argv : usual;
    kernel_cases(2, argv, HD_DISPATCH_ORDER, run_case);
    kernel_cases(2, argv, HD_DISPATCH_ORDER, run_strides);
    kernel_cases(2, argv, HD_DISPATCH_TICKET, run_case);
    kernel_cases(2, argv, HD_DISPATCH_PLAN, run_case);
    return 0;
}
