/* SPDX-License-Identifier: MIT */
/* waves.c - what a wave costs the host: heddle_wave_new and loading, kernels found before, and a further run, launched and waited
 * for, of cells that compute nothing. One line a field (TSV), medians in us.
 *
 *     overhead_waves [cpu|cuda [SIZE...]]        square fields; without sizes 32 and 4608 */
#include "waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAKES 21
#define RUNS 201
#define SECOND 1000000000u

static heddle_ctx *ctx;

static void must(heddle_status s, const char *what)
{
    if (s == HEDDLE_OK)
        return;
    printf("# %s: %s\n", what, heddle_error_text(ctx));
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double median_us(uint64_t *ns, size_t n)
{
    qsort(ns, n, sizeof *ns, by_value);
    return (double)ns[n / 2] * 1e-3;
}

/* Its first run loads it. *ns: heddle_wave_new and loading, without finding kernels. */
static heddle_graph *make(uint64_t size, uint64_t *ns)
{
    const idle_params params = {0};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_graph *g;
    uint64_t begin = heddle_clock_ns();
    d.rows = d.cols = size;
    must(heddle_wave_new(ctx, &idle, &d, &g), "making a wave");
    *ns = heddle_clock_ns() - begin;
    must(heddle_graph_run(ctx, g, &params, sizeof params), "its first run");
    must(heddle_graph_get_stats(g, &stats), "statistics");
    *ns += stats.load_ns - stats.kernel_ns;
    return g;
}

/* Of large fields fewer are timed. */
static int goes_on(int n, int most, uint64_t begin)
{
    return n < most && (n < 3 || heddle_clock_ns() - begin < SECOND);
}

static void measure(const char *backend, uint64_t size)
{
    const idle_params params = {0};
    uint64_t makes[MAKES], runs[RUNS], begin = heddle_clock_ns(), from;
    int n_makes, n_runs;
    heddle_graph *g = make(size, &makes[0]);
    for (n_makes = 0; goes_on(n_makes, MAKES, begin); n_makes++) {
        heddle_graph_free(g);
        g = make(size, &makes[n_makes]);
    }
    begin = heddle_clock_ns();
    for (n_runs = 0; goes_on(n_runs, RUNS, begin); n_runs++) {
        from = heddle_clock_ns();
        must(heddle_graph_run(ctx, g, &params, sizeof params), "a further run");
        runs[n_runs] = heddle_clock_ns() - from;
    }
    heddle_graph_free(g);
    printf("%s\t%llu\t%.1f\t%.1f\n", backend, (unsigned long long)size, median_us(makes, (size_t)n_makes),
           median_us(runs, (size_t)n_runs));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "cpu";
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = !strcmp(backend, "cuda") ? HEDDLE_CUDA : HEDDLE_CPU;
    config.schedule = HEDDLE_SCHEDULE_WAVE;
    must(heddle_ctx_open(&ctx, &config), backend);
    printf("backend\tsize\tnew and load\trun again\n");
    for (int i = 2; i < argc; i++)
        measure(backend, strtoull(argv[i], NULL, 10));
    if (argc <= 2) {
        measure(backend, 32);
        measure(backend, 4608);
    }
    heddle_ctx_close(ctx);
    return 0;
}
