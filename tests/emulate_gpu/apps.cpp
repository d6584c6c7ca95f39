/* SPDX-License-Identifier: MIT */
/* apps.cpp - the waves of applications as blocks of one to three warps: with and without sums, cells kept or not, tiles
 * by whole warps and by few threads, sweeps, many pairs. Each run passes the app's check; so does a second one.
 *
 * emulate_apps [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "dtw_wave_bodies.c"
#include "heat_wave_bodies.c"
#include "inthist_wave_bodies.c"
#include "sat_wave_bodies.c"
#include "sor_wave_bodies.c"
#include "sw_wave_bodies.c"

#include "apps/pairs.h"

extern "C" {
#include "app.h"
#include "engine/wave.h"
#include "run/run.h"
}

#define STEPS 40000000ull

typedef struct app_run {
    app_case *c;
    words w;
    kernel_job job;
    char what[96];
} app_run;

/* Rows or columns: a few, or somewhat more than a band of the largest shape. */
static uint64_t some_size(uint64_t *row) { return 1u + check_below(row, check_below(row, 3u) ? 300u : 40u); }

static app_case *prepare(const char *name, app_request *q)
{
    const app *a = app_find(name);
    char error[APP_ERROR];
    app_case *c = a->prepare(q, error);
    CHECK_MSG(c, "%s", error);
    c->scenario = app_scenario_of(a, "wave");
    return c;
}

static app_case *some_sweeps(uint64_t *row)
{
    static const char *const names[] = {"heat", "sor"}, *const sweeps[] = {"1", "3", "4", "10"};
    const app_pair opt = {"sweeps", sweeps[check_below(row, 4u)]};
    app_request q = {{some_size(row), some_size(row)}, {0, 0}, &opt, 1, nullptr, 0, {}};
    return prepare(names[check_below(row, 2u)], &q);
}

/* All records of one file against all of another: affine gaps, or a matrix. */
static app_case *some_pairs(uint64_t *row)
{
    const app_pair affine[] = {{"gaps", "affine"}, {"gap", "-4"}, {"extend", "-1"}};
    pairs_records a, b;
    pairs_file matrix;
    int8_t score[6][6];
    app_case *c;
    pairs_make(&a, row, 3u, 300u);
    pairs_make(&b, row, 3u, 300u);
    pairs_matrix(&matrix, row, score);
    const char *const inputs[] = {a.file.path, b.file.path};
    const app_pair scores[] = {{"matrix", matrix.path}, {"gap", "-3"}};
    const int is_affine = check_below(row, 2u) != 0;
    app_request q = {{0, 0}, {0, 0}, is_affine ? affine : scores, is_affine ? 3u : 2u, inputs, 2, {}};
    c = prepare("sw", &q);
    pairs_free(&a);
    pairs_free(&b);
    close(matrix.fd);
    return c;
}

/* A wave of cells or of tiles. */
static app_case *some_case(uint64_t *row)
{
    static const char *const names[] = {"sw", "dtw", "sat", "inthist"};
    const uint64_t k = check_below(row, 6u);
    const app_pair cells[] = {{"sums", check_below(row, 3u) ? "1" : "0"}, {"keep", check_below(row, 2u) ? "1" : "0"}},
                   tiles[] = {{"body", check_below(row, 3u) ? "tuned" : "portable"}, {"bins", "3"}};
    const size_t n_opts = k == 2u ? 1u : 2u;
    app_request q = {{some_size(row), some_size(row)}, {0, 0}, k < 2u ? cells : tiles, n_opts, nullptr, 0, {}};
    if (k >= 4u)
        return k == 4u ? some_sweeps(row) : some_pairs(row);
    if (k >= 2u && check_below(row, 2u)) /* whole quads */
        q.n[1] = (q.n[1] + 15u) / 16u * 16u;
    return prepare(names[k], &q);
}

static void make(app_run *r, heddle_ctx *ctx, uint64_t *row)
{
    words_config config = {};
    hd_wave_blocks = 1;
    r->c = some_case(row);
    CHECK_MSG(!r->c->scenario->build(r->c, ctx) && !r->c->app->reference(r->c), "%s", r->c->error);
    config.dispatch = HD_DISPATCH_ORDER;
    config.n_workers = 1u + (uint32_t)check_below(row, 4u);
    config.first_run = 1;
    words_make(&r->w, &r->c->graph->g, &config, r->c->record);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(HD_DISPATCH_ORDER, 0);
    r->job.team = r->c->graph->g.team_size;
    snprintf(r->what, sizeof r->what, "%s/wave, %llu x %llu, %u blocks of %u threads", r->c->app->name,
             (unsigned long long)r->c->n[0], (unsigned long long)r->c->n[1], config.n_workers, r->job.team);
}

static void run_case(uint64_t seed, uint32_t)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    app_run r = {};
    uint64_t row = seed * 77u;
    config.backend = HEDDLE_SERIAL;
    config.team_size = 32u * (1u + (uint32_t)check_below(&row, 3u));
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, &row);
    for (uint64_t run = 0; run < 2; run++) {
        CHECK_MSG(!r.c->scenario->reset(r.c), "%s: %s", r.what, r.c->error);
        n_switches += kernel_run(&r.job, seed + run, STEPS, r.what);
        n_tasks_run += r.w.run.n_tasks;
        CHECK_MSG(r.w.end.stop == HD_STOP_DONE, "%s: the run ended with %u", r.what, r.w.end.stop);
        CHECK_MSG(!r.c->app->read(r.c) && !r.c->app->check(r.c), "seed %llu: %s: %s", (unsigned long long)seed, r.what,
                  r.c->error);
    }
    words_free(&r.w);
    r.c->app->free(r.c);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char n_cases[] = "150", *usual[] = {argv[0], n_cases, nullptr};
    kernel_cases(argc > 1 ? argc : 2, argc > 1 ? argv : usual, HD_DISPATCH_ORDER, run_case);
    return 0;
}
