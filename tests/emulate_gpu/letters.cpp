/* SPDX-License-Identifier: MIT */
/* letters.cpp - pairs of sequences of four letters as blocks of one to three warps, fewer blocks than parts. In all
 * shapes of the bench's cells (bench/gpu/wave_letter_cells.h), one or two pairs an item, two runs find what loops find.
 *
 * emulate_letters [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "gpu/wave_letter_cells.c"
#include "wave/letter_cases.h"

extern "C" {
#include "engine/wave.h"
#include "run/run.h"
}

#define MOST 500u /* letters */
#define STEPS 40000000ull

#define TABLES(rows, columns) &letters_##rows##_##columns, &pairs_##rows##_##columns, &sparse_##rows##_##columns,
static const heddle_table *const tables[] = {LETTER_SHAPES(TABLES)};
#define N_TABLES (sizeof tables / sizeof tables[0])

typedef struct letter_run {
    letter_case c;
    heddle_graph *graph;
    words w;
    kernel_job job;
    char what[96];
} letter_run;

static void make(letter_run *r, heddle_ctx *ctx, uint64_t seed)
{
    const uint64_t t = seed % N_TABLES;
    const uint32_t n_warps = 1u + (uint32_t)(seed / N_TABLES % 3u);
    words_config config = {};
    letter_case_make(&r->c, seed, MOST);
    letter_case_lay_out(&r->c, ctx, tables[t]);
    hd_wave_blocks = 1;
    r->c.desc.n_warps = n_warps;
    CHECK_OK(ctx, heddle_wave_new(ctx, tables[t], &r->c.desc, &r->graph));
    config.dispatch = HD_DISPATCH_ORDER;
    config.n_workers = 1u + (uint32_t)(seed % 3u);
    config.first_run = 1;
    words_make(&r->w, &r->graph->g, &config, &r->c.params);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(HD_DISPATCH_ORDER, 0);
    r->job.team = 32u * n_warps;
    snprintf(r->what, sizeof r->what, "seed %llu, %s, %u blocks of %u warps", (unsigned long long)seed, tables[t]->name,
             config.n_workers, n_warps);
}

static void run_once(letter_run *r, uint64_t seed)
{
    letter_case_reset(&r->c);
    n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    if (r->w.end.stop != HD_STOP_DONE)
        emu_fail("%s: the run ended with %u", r->what, r->w.end.stop);
    n_tasks_run += r->w.run.n_tasks;
    letter_case_check(&r->c, r->what);
}

static void run_case(uint64_t seed, uint32_t)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    letter_run r = {};
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, seed);
    run_once(&r, seed);
    run_once(&r, seed + 1000u);
    words_free(&r.w);
    heddle_graph_free(r.graph);
    letter_case_lift(&r.c);
    letter_case_free(&r.c);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char n_cases[] = "36", *usual[] = {argv[0], n_cases, nullptr};
    kernel_cases(2, argc > 1 ? argv : usual, HD_DISPATCH_ORDER, run_case);
    return 0;
}
