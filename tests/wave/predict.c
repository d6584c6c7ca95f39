/* SPDX-License-Identifier: MIT */
/* predict.c - predictions for waves. A wave's model is known after its first run and not before, describes the wave,
 * and predicts a run's time within a loose factor. A run that ends badly is not measured; the next one is. What cannot
 * be predicted is refused. With --cuda on a GPU. */
#include "check.h"
#include "wave/halves.h"

#include <string.h>

#define ROWS 3000u
#define COLS 4000u
#define MOST_TRIES 5

static heddle_ctx *ctx;
static const mix_params params = {7};

static void *zeros(uint64_t n_bytes)
{
    void *p, *copy = calloc(1, n_bytes);
    CHECK(copy);
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, copy, n_bytes));
    free(copy);
    return p;
}

static void refused(heddle_status is, heddle_status s, const char *part)
{
    CHECK_MSG(is == s && strstr(heddle_error_text(ctx), part), "%s: %s", heddle_status_text(is),
              heddle_error_text(ctx));
}

static uint64_t new_bytes; /* of the context's memory, asked for since it was last cleared */

/* The linker sends calls of heddle_mem_new here (--wrap). */
heddle_status __real_heddle_mem_new(heddle_ctx *x, size_t n_bytes, void **out);
heddle_status __wrap_heddle_mem_new(heddle_ctx *x, size_t n_bytes, void **out);
heddle_status __wrap_heddle_mem_new(heddle_ctx *x, size_t n_bytes, void **out)
{
    new_bytes += n_bytes;
    return __real_heddle_mem_new(x, n_bytes, out);
}

/* A wave says how many bytes it has asked for. Rows of borders take 8 bytes a column, rounded up to granules; beside them are
 * 16 bytes a band and some lines of records. */
static void check_bytes(const heddle_wave_geometry *is)
{
    CHECK_MSG(is->own_bytes == new_bytes, "%llu bytes, and it asked for %llu", (unsigned long long)is->own_bytes,
              (unsigned long long)new_bytes);
    CHECK(is->border_bytes >= 8u * COLS && is->border_bytes <= 8u * (COLS + 64u + (uint64_t)is->model.lag));
    CHECK(is->own_bytes <= is->border_bytes + 16u * (uint64_t)is->model.bands + 2048u);
}

/* The geometry is known before the first run. */
static void check_geometry(heddle_graph *g)
{
    heddle_wave_geometry is;
    CHECK_OK(ctx, heddle_wave_get_geometry(g, &is));
    CHECK(is.band_rows && is.n_warps && is.hand_cols && is.model.cols == COLS && is.model.lag > 0);
    CHECK(is.model.bands == (ROWS + is.band_rows - 1u) / is.band_rows && is.model.workers == 0);
    CHECK(is.lane_rows ? is.step_columns && is.band_rows == 32u * is.lane_rows : !is.step_columns);
    check_bytes(&is);
    refused(heddle_wave_get_geometry(g, NULL), HEDDLE_EINVAL, "out is NULL");
}

static void check_model(heddle_graph *g, uint32_t n_workers)
{
    heddle_wave_model m;
    CHECK_OK(ctx, heddle_wave_get_model(g, &m));
    printf("%g bands of %g columns, lag %g, %g workers, %g ns a column, %g a hand-over\n", m.bands, m.cols, m.lag,
           m.workers, m.column_ns, m.hand_ns);
    CHECK(m.cols == COLS && m.bands >= ROWS / 512u && m.bands <= ROWS && m.lag > 0);
    CHECK(m.workers >= 1 && (!n_workers || m.workers <= n_workers));
    CHECK(m.column_ns > 0 && m.hand_ns >= 0);
}

/* The least time of some runs against the prediction. 0: too far from it. */
static int is_near(heddle_graph *g)
{
    heddle_wave_model before, after;
    heddle_stats stats = HEDDLE_STATS_INIT;
    uint64_t ns, wide, least = UINT64_MAX;
    CHECK_OK(ctx, heddle_wave_get_model(g, &before));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
        CHECK_OK(ctx, heddle_graph_get_stats(g, &stats));
        least = stats.run_ns < least ? stats.run_ns : least;
    }
    CHECK_OK(ctx, heddle_wave_get_model(g, &after));
    CHECK(!memcmp(&before, &after, sizeof after)); /* only the first run is measured */
    CHECK_OK(ctx, heddle_wave_predict(g, 0, &ns));
    CHECK_OK(ctx, heddle_wave_predict(g, COLS, &wide));
    printf("%llu ns, predicted %llu, with tiles as wide as the field %llu\n", (unsigned long long)least,
           (unsigned long long)ns, (unsigned long long)wide);
    CHECK(wide > 0);
    return ns > least / 8 && ns / 8 < least;
}

static heddle_wave_desc desc_of(void)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    d.body = half_cell;
    d.rows = ROWS;
    d.cols = COLS;
    d.x = zeros(sizeof(uint32_t) * ROWS);
    d.y = zeros(sizeof(uint32_t) * COLS);
    return d;
}

static void free_arrays(const heddle_wave_desc *d)
{
    heddle_mem_free(ctx, (void *)d->x);
    heddle_mem_free(ctx, (void *)d->y);
}

static int is_predicted(uint32_t n_workers)
{
    const heddle_wave_desc d = desc_of();
    heddle_wave_model m;
    heddle_graph *g;
    uint64_t ns;
    int is;
    new_bytes = 0;
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    check_geometry(g);
    refused(heddle_wave_predict(g, 0, &ns), HEDDLE_EINVAL, "has not run yet");
    refused(heddle_wave_get_model(g, &m), HEDDLE_EINVAL, "has not run yet");
    refused(heddle_wave_get_model(g, NULL), HEDDLE_EINVAL, "out is NULL");
    refused(heddle_wave_predict(g, 0, NULL), HEDDLE_EINVAL, "ns is NULL");
    refused(heddle_wave_predict(g, ((uint64_t)1 << 31) + 1u, &ns), HEDDLE_ERANGE, "2^31");
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    check_model(g, n_workers);
    is = is_near(g);
    heddle_graph_free(g);
    free_arrays(&d);
    return is;
}

/* Other programs may have the processors while the first run is measured. */
static void test_wave(uint32_t n_workers)
{
    int n = 0;
    while (n < MOST_TRIES && !is_predicted(n_workers))
        n++;
    CHECK(n < MOST_TRIES);
}

/* Cancels the first run. If it ended canceled, the next run is measured; but a run canceled after its last bands had
 * ended is measured, too. */
static void test_cancelled(uint32_t n_workers)
{
    const heddle_wave_desc d = desc_of();
    heddle_graph *g;
    heddle_job *job;
    heddle_wave_model m;
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    CHECK_OK(ctx, heddle_graph_submit(ctx, g, &params, sizeof params, &job));
    heddle_job_cancel(job);
    if (heddle_job_wait(job, HEDDLE_FOREVER) == HEDDLE_ECANCELED && heddle_wave_get_model(g, &m) != HEDDLE_OK)
        refused(heddle_wave_get_model(g, &m), HEDDLE_EINVAL, "has not run yet");
    heddle_job_free(job);
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    CHECK_OK(ctx, heddle_wave_get_model(g, &m));
    check_model(g, n_workers);
    heddle_graph_free(g);
    free_arrays(&d);
}

/* Graphs of tasks, and a wave that another schedule runs as tiles, have no model. */
static void test_no_wave(const heddle_config *config)
{
    heddle_config tiles = *config;
    heddle_wave_desc d;
    heddle_graph *g;
    uint64_t ns;
    CHECK_OK(ctx, heddle_graph_new(ctx, &halves, &g));
    refused(heddle_wave_predict(g, 0, &ns), HEDDLE_EINVAL, "no wave of cells");
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    if (config->backend == HEDDLE_CUDA)
        return;
    tiles.schedule = HEDDLE_SCHEDULE_STATIC;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &tiles));
    d = desc_of();
    CHECK_OK(ctx, heddle_wave_new(ctx, &halves, &d, &g));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    refused(heddle_wave_predict(g, 0, &ns), HEDDLE_EINVAL, "only schedule wave is measured");
    heddle_graph_free(g);
    free_arrays(&d);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    const int is_cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    config.backend = is_cuda ? HEDDLE_CUDA : HEDDLE_CPU;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    config.n_workers = is_cuda ? 0 : 2;
    if (is_cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    test_wave(config.n_workers);
    test_cancelled(config.n_workers);
    test_no_wave(&config);
    return 0;
}
