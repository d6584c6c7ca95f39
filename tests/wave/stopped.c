/* SPDX-License-Identifier: MIT */
/* stopped.c - a wave that is cancelled in the midst of long bands ends soon, though no band of it has to wait: of cells, of
 * sweeps, of tiles. On a thread a band alone, which would go on for seconds: the quickest of some cancelled runs ends in less
 * time than a run of four times as many columns takes as a band goes along between two looks. With --cuda fields of many bands:
 * half of the runs end within a millisecond, from the call of heddle_job_cancel to the return of heddle_job_wait. */
#include "check.h"
#include "wave/endless.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES 9u
#define LOOK_COLS (32u * HD_WAVE_GRANULE) /* of a thread's band: core/wave.h */
#define GIVEN_UP_MS 20000u                /* from here on the run was not stopped */
#define SLACK_MS 20.0                     /* for other programs that have the processor */
#define GPU_MOST_MS 1.0

static heddle_backend backend = HEDDLE_CPU;

typedef struct kind {
    const char *name;
    const heddle_table *table;
    uint32_t body, band_rows, tile_cols, sweeps;
    uint64_t rows, cols, gpu_rows, gpu_cols;
    endless_params params;
} kind;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static heddle_graph *make(heddle_ctx *ctx, const kind *k, uint64_t rows, uint64_t cols, void *cells)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_graph *g;
    d.body = k->body;
    d.rows = rows;
    d.cols = cols;
    d.band_rows = k->band_rows;
    d.tile_cols = k->tile_cols;
    d.sweeps = k->sweeps;
    d.cells = k->sweeps ? cells : NULL;
    CHECK_OK(ctx, heddle_wave_new(ctx, k->table, &d, &g));
    return g;
}

/* Milliseconds from the call that cancels to the end. */
static double cancel_one(heddle_ctx *ctx, heddle_graph *g, const kind *k, useconds_t after_us)
{
    heddle_job *job;
    heddle_status s;
    double begin;
    CHECK_OK(ctx, heddle_graph_submit(ctx, g, &k->params, sizeof k->params, &job));
    usleep(after_us);
    begin = now_ms();
    heddle_job_cancel(job);
    s = heddle_job_wait(job, GIVEN_UP_MS);
    begin = now_ms() - begin;
    CHECK_MSG(s == HEDDLE_ECANCELED, "%s: %s", k->name, heddle_status_text(s));
    heddle_job_free(job);
    return begin;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How long a short run takes: the quickest of some. */
static double short_run_ms(heddle_ctx *ctx, const kind *k, uint64_t rows, void *cells)
{
    heddle_graph *g = make(ctx, k, rows, 4u * LOOK_COLS, cells);
    double least = 1e30, begin;
    for (uint32_t i = 0; i < TRIES; i++) {
        begin = now_ms();
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &k->params, sizeof k->params));
        begin = now_ms() - begin;
        least = begin < least ? begin : least;
    }
    heddle_graph_free(g);
    return least;
}

static void test_kind(const kind *k)
{
    const int is_gpu = backend == HEDDLE_CUDA;
    const uint64_t rows = is_gpu ? k->gpu_rows : k->rows, cols = is_gpu ? k->gpu_cols : k->cols;
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    void *cells = NULL;
    double ms[TRIES], most_ms;
    config.backend = backend;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    config.n_workers = is_gpu ? 0 : 1;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    if (k->sweeps)
        CHECK_OK(ctx, heddle_mem_new(ctx, rows * cols * 4u, &cells));
    most_ms = is_gpu ? GPU_MOST_MS : short_run_ms(ctx, k, rows, cells) + SLACK_MS;
    g = make(ctx, k, rows, cols, cells);
    for (uint32_t i = 0; i < TRIES; i++)
        ms[i] = cancel_one(ctx, g, k, 5000u + 2000u * i);
    qsort(ms, TRIES, sizeof ms[0], by_size);
    printf("%s: cancelled, a run ends after %.3f ms, %.3f, %.3f (least, median, most)\n", k->name, ms[0],
           ms[TRIES / 2u], ms[TRIES - 1u]);
    CHECK_MSG(ms[is_gpu ? TRIES / 2u : 0] <= most_ms, "%s: at most %.3f ms are allowed", k->name, most_ms);
    heddle_graph_free(g);
    heddle_mem_free(ctx, cells);
    heddle_ctx_close(ctx);
}

static int is_said(const heddle_ctx *ctx, const char *what, const char *more)
{
    return strstr(heddle_error_text(ctx), what) && strstr(heddle_error_text(ctx), more);
}

enum { MOST_LIMITED = 50 };

/* A run of two bands that its time limit ends; north: of those that wait for it, never raised. The sentence says `what` and `more`: on a busy
 * machine not in each run, because a worker may begin after the limit. */
static void test_limit(const kind *k, const heddle_wave_border *north, const char *what, const char *more)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    config.backend = backend;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    config.n_workers = 2;
    config.time_limit_ms = 50;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.body = k->body;
    d.rows = 128;
    d.cols = 1u << 24; /* some tenths of a second a band */
    d.north = *north;
    d.tile_cols = k->tile_cols;
    CHECK_OK(ctx, heddle_wave_new(ctx, k->table, &d, &g));
    for (int i = 0; i < 2; i++) { /* the second run says nothing of the first */
        int n = 0;
        do {
            const heddle_status s = heddle_graph_run(ctx, g, &k->params, sizeof k->params);
            CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s", k->name, heddle_status_text(s));
        } while (!is_said(ctx, what, more) && ++n < MOST_LIMITED);
        CHECK_MSG(n < MOST_LIMITED, "%s, not %s and %s", heddle_error_text(ctx), what, more);
    }
    printf("%s\n", heddle_error_text(ctx));
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

static void test_limits(const kind *cells, const kind *tiles)
{
    const uint32_t count = 0, cell = 0;
    const heddle_wave_border none = {0}, never = {.array = &cell, .count = &count};
    test_limit(cells, &none, "; band 0 of item 0 works at column ", "");
    test_limit(tiles, &none, "; band 0 of item 0 works at column ", "");
    test_limit(cells, &never, "; band 0 of item 0 waits at column 0 for a border",
               "; band 1 of item 0 waits at column 0 for band 0");
}

int main(int argc, char **argv)
{
    const kind kinds[] = {
        {"cells", &endless, endless_cell, 0, 0, 0, 64, 1u << 30, 1u << 16, 1u << 23, {7, 0}},
        {"sweeps", &endless, endless_sweep, 0, 0, 16, 5, 1u << 22, 256, 1u << 21, {7, 0}},
        {"tiles", &endless_tiles, endless_tile, 64, 128, 0, 64, 1u << 23, 1u << 12, 1u << 22, {7, 500}},
    };
    if (argc > 1 && !strcmp(argv[1], "--cuda"))
        backend = HEDDLE_CUDA;
    if (!heddle_backend_is_present(backend))
        SKIP("no GPU");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        test_kind(&kinds[i]);
    if (backend == HEDDLE_CPU)
        test_limits(&kinds[0], &kinds[2]);
    return 0;
}
