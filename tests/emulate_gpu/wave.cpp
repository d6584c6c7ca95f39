/* SPDX-License-Identifier: MIT */
/* wave.cpp - random waves as blocks of one to three warps, fewer blocks than parts. In every shape they leave the
 * result of plain loops; a canceled run ends, and the next one is right. So do their tiles as tasks, handed out as they
 * come, by plan, and as launches, level by level; and the strides of a field.
 *
 * emulate_wave [CASES]; HEDDLE_SEED: run only that case. */
#include "kernels.h"

#include "wave/cells.c"
#include "wave/cases.h"
#include "wave/stride_cases.h"

extern "C" {
#include "backend/levels.h"
#include "engine/wave.h"
#include "run/run.h"
}

#define MOST 600u /* rows, columns: the rings in shared memory fill many times */
#ifndef STEPS
#define STEPS 40000000ull
#endif

#define LEVELS 99u /* no dispatch: launches */

static uint32_t n_noted; /* runs in which all columns have been noted */

typedef struct wave_run {
    wave_case c;
    heddle_graph *graph;
    words w;
    kernel_job job;
    char what[96];
    uint64_t row; /* random state: when the host raises a count */
} wave_run;

/* The host: makes some more of a border available now and then. */
static void raise_some(void *self, uint64_t)
{
    wave_run *r = static_cast<wave_run *>(self);
    if (check_below(&r->row, 64u))
        return;
    const uint32_t n = (uint32_t)check_below(&r->row, 16u), most = wave_case_count(&r->c, n);
    const uint32_t more = r->c.counts[n] + 1u + (uint32_t)check_below(&r->row, 1u + most / 4u);
    wave_case_bring(&r->c, n, r->c.counts[n], more < most ? more : most);
    r->c.counts[n] = more < most ? more : most;
}

/* Chooses how it runs. */
static void choose(heddle_wave_desc *d, uint64_t *row)
{
    const heddle_wave_shape *shape = stride_shape(&mix.waves[0], d, row);
    d->n_warps = 1u + (uint32_t)check_below(row, 3u);
    d->lane_rows = shape->rows;
    d->step_columns = shape->columns;
    d->tile_cols = 1u + (uint32_t)check_below(row, 300u);
}

static void make_graph(wave_run *r, heddle_ctx *ctx, const heddle_wave_desc *d, uint64_t seed, uint32_t dispatch,
                       uint64_t row)
{
    words_config config = {};
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, d, &r->graph));
    config.dispatch = dispatch == LEVELS ? (uint32_t)HD_DISPATCH_TICKET : dispatch;
    config.n_workers = 1u + (uint32_t)check_below(&row, 4u);
    config.first_run = 1;
    config.n_trace = check_below(&row, 2u) ? check_below(&row, 4u) ? 8192u : 64u : 0u;
    words_make(&r->w, &r->graph->g, &config, &r->c.params);
    r->job.w = &r->w;
    r->job.kernel = kernel_of<0>(config.dispatch, config.n_trace != 0);
    r->job.team = 32u * d->n_warps;
    snprintf(r->what, sizeof r->what, "seed %llu, R%u C%u, %u blocks of %u warps", (unsigned long long)seed,
             d->lane_rows, d->step_columns, config.n_workers, d->n_warps);
}

static void make(wave_run *r, heddle_ctx *ctx, uint64_t seed, uint32_t dispatch)
{
    uint64_t row = seed * 77u;
    wave_case_make(&r->c, &mix, seed, ctx, MOST);
    hd_wave_blocks = 1;
    r->c.is_slow = dispatch != LEVELS; /* a launch has no host beside it */
    r->row = seed;
    r->job.host = r->c.is_slow ? raise_some : nullptr;
    r->job.self = r;
    choose(&r->c.desc, &row);
    wave_case_lay_out(&r->c);
    make_graph(r, ctx, &r->c.desc, seed, dispatch, row);
}

/* In some cases tags run out in the first run, in the second, or after the canceled one. */
static void set_tags(wave_run *r, uint64_t seed)
{
    const hd_wave *wave = static_cast<const hd_wave *>(r->graph->own);
    if (seed % 4u)
        wave->words->base = (uint32_t)HD_WAVE_TAG_MOST - (uint32_t)(seed % 4u) * wave->n_tags;
}

static void level_thread(void *level) { hd_tasks_of_level<kernel_bodies<0>, 1>(*static_cast<const hd_level *>(level)); }

/* Launches as the cuda backend does. Waves only have the kernels that trace; here those have no buffer to write to. */
static void run_levels(wave_run *r, uint64_t seed)
{
    const hd_run *run = &r->w.run;
    hd_launches launches = {};
    hd_error e = {};
    hd_level level = {};
    emu_launch l = {};
    CHECK(hd_launches_make(&launches, &r->graph->g, 2, &e) == HEDDLE_OK);
    kernel_table = r->graph->g.table;
    level.tasks = run->tasks;
    level.args = run->args;
    level.params = run->params;
    level.fail = &run->control->fail;
    l.n_threads = r->job.team;
    l.seed = seed;
    l.n_steps = STEPS;
    l.what = r->what;
    l.code = level_thread;
    l.arg = &level;
    for (uint64_t i = 0; i < launches.n; i++) {
        level.list = launches.list + launches.at[i].first;
        l.n_blocks = launches.at[i].n;
        l.shared_bytes = launches.at[i].shared_bytes;
        n_switches += emu_run(&l);
    }
    hd_launches_clear(&launches);
}

/* All columns of all bands have been noted, and no more; unless there was no room. */
static void check_stretches(const wave_run *r)
{
    const hd_wave *wave = static_cast<const hd_wave *>(r->graph->own);
    const uint64_t is = words_stretches(&r->w, r->what);
    uint64_t want = 0;
    for (uint32_t i = 0; i < wave->n_items; i++)
        want += (uint64_t)wave->items[i].n_bands * wave->items[i].cols;
    if (is && is != want)
        emu_fail("%s: %llu columns have been noted, of %llu", r->what, (unsigned long long)is,
                 (unsigned long long)want);
    n_noted += is != 0;
}

static void run_well(wave_run *r, uint64_t seed, uint32_t dispatch)
{
    wave_case_reset(&r->c);
    if (dispatch == LEVELS)
        run_levels(r, seed);
    else
        n_switches += kernel_run(&r->job, seed, STEPS, r->what);
    if (dispatch != LEVELS && r->w.end.stop != HD_STOP_DONE)
        emu_fail("%s: the run ended with %u", r->what, r->w.end.stop);
    n_tasks_run += r->w.run.n_tasks;
    wave_case_check(&r->c, r->what);
    if (dispatch == HD_DISPATCH_ORDER && r->w.run.events)
        check_stretches(r);
}

static void run_canceled(wave_run *r, uint64_t seed)
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
    wave_run r = {};
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_TICKET;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    make(&r, ctx, seed, dispatch);
    set_tags(&r, seed);
    run_well(&r, seed, dispatch);
    run_well(&r, seed + 1000u, dispatch);
    if (seed % 3u == 0 && dispatch != LEVELS) {
        run_canceled(&r, seed);
        run_well(&r, seed + 2000u, dispatch);
    }
    words_free(&r.w);
    heddle_graph_free(r.graph);
    wave_case_free(&r.c);
    heddle_ctx_close(ctx);
}

/* The wave above a stride, which has ended: its words come again, some now and then. */
typedef struct words_above {
    uint64_t *to, *from; /* NULL: there are none */
    uint64_t n, at, row;
} words_above;

static words_above hold_words(const heddle_wave_desc *d, uint64_t seed)
{
    words_above w = {};
    if (!d->above)
        return w;
    w.n = heddle_wave_outer_bytes(&mix, d->body, d->cols, 0) / 8u;
    w.to = static_cast<uint64_t *>(d->above);
    w.at = sizeof(hd_outer) / 8u;
    w.row = seed;
    w.from = static_cast<uint64_t *>(calloc(w.n, 8));
    CHECK(w.from);
    for (uint64_t i = w.at; i < w.n; i++) {
        w.from[i] = w.to[i];
        w.to[i] = w.from[i] ^ 0x5aull; /* another value, of an earlier run */
        w.to[i] -= 1ull << 32;
    }
    return w;
}

static void bring_words(void *self, uint64_t)
{
    words_above *w = static_cast<words_above *>(self);
    if (check_below(&w->row, 64u))
        return;
    for (uint64_t k = 1u + check_below(&w->row, 1u + w->n / 4u); k && w->at < w->n; k--, w->at++)
        w->to[w->at] = w->from[w->at];
}

/* One stride of a field. */
static void run_stride(heddle_ctx *ctx, heddle_wave_desc *d, const mix_params *params, uint64_t seed, uint32_t dispatch)
{
    uint64_t row = seed;
    wave_run r = {};
    words_above words = hold_words(d, seed);
    r.job.host = words.from ? bring_words : nullptr;
    r.job.self = &words;
    r.c.params = *params;
    choose(d, &row);
    make_graph(&r, ctx, d, seed, dispatch, row);
    n_switches += kernel_run(&r.job, seed, STEPS, r.what);
    if (r.w.end.stop != HD_STOP_DONE)
        emu_fail("%s: a stride ended with %u", r.what, r.w.end.stop);
    free(words.from);
    n_tasks_run += r.w.run.n_tasks;
    words_free(&r.w);
    heddle_graph_free(r.graph);
}

/* The strides of a field, one after the other, twice. */
static void run_strides(uint64_t seed, uint32_t dispatch)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    stride_case c;
    wave_case field;
    uint64_t row = seed;
    config.backend = HEDDLE_CPU;
    config.n_workers = 1;
    config.schedule = dispatch == HD_DISPATCH_ORDER ? HEDDLE_SCHEDULE_WAVE : HEDDLE_SCHEDULE_TICKET;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    hd_wave_blocks = 1;
    wave_case_make(&field, &mix, seed, ctx, MOST);
    wave_case_simplify(&field);
    choose(&field.desc, &row);
    wave_case_lay_out(&field);
    if (stride_case_make(&c, ctx, &mix, &field.desc, 128u, &row)) {
        for (uint32_t i = 0; i < 2u; i++) {
            stride_case_reset(&c);
            wave_case_reset(&field);
            for (uint32_t k = 0; k < c.n; k++)
                run_stride(ctx, &c.strides[k], &field.params, seed + k, dispatch);
            stride_case_join(&c);
            wave_case_check(&field, "strides");
        }
        stride_case_free(&c);
    }
    wave_case_free(&field);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    kernel_cases(argc, argv, HD_DISPATCH_ORDER, run_case);
    kernel_cases(argc, argv, HD_DISPATCH_ORDER, run_strides);
    kernel_cases(argc, argv, HD_DISPATCH_TICKET, run_strides);
    CHECK((n_noted && words_n_waits) || getenv("HEDDLE_SEED"));
    kernel_cases(argc, argv, HD_DISPATCH_TICKET, run_case);
    kernel_cases(argc, argv, HD_DISPATCH_PLAN, run_case);
    kernel_cases(argc, argv, LEVELS, run_case);
    return 0;
}
