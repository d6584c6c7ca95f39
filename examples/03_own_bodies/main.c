/* SPDX-License-Identifier: MIT */
/* 03_own_bodies - one file of bodies, run on the threads of the CPU and on emulated blocks of 1, 3 and 8 threads; the
 * results are the same bits. */
#include "bodies.h"

#include <stdio.h>
#include <string.h>

#define N_ROWS 4

static double input[N_ROWS * ROW];

/* Row by row: average, then sum. A row's sum waits for its average and for nothing else. */
static heddle_status build(heddle_graph *graph, const smooth_params *params)
{
    const size_t row_bytes = ROW * sizeof(double);
    heddle_status s = HEDDLE_OK;
    for (uint64_t r = 0; r < N_ROWS && s == HEDDLE_OK; r++) {
        smooth_row args = {r};
        const double *in = params->in + r * ROW, *out = params->out + r * ROW, *sum = params->sums + r;
        s = heddle_graph_add(graph, smooth_average, &args, sizeof args,
                             HEDDLE_RANGES(HEDDLE_IN(in, row_bytes), HEDDLE_OUT(out, row_bytes)), NULL);
        if (s == HEDDLE_OK)
            s = heddle_graph_add(graph, smooth_sum, &args, sizeof args,
                                 HEDDLE_RANGES(HEDDLE_IN(out, row_bytes), HEDDLE_OUT(sum, sizeof *sum)), NULL);
    }
    return s;
}

static heddle_status compute(heddle_ctx *ctx, double *memory, double sums[N_ROWS])
{
    smooth_params params = {memory, memory + N_ROWS * ROW, memory + 2 * N_ROWS * ROW};
    heddle_graph *graph = NULL;
    heddle_status s = heddle_mem_write(ctx, params.in, input, sizeof input);
    if (s == HEDDLE_OK)
        s = heddle_graph_new(ctx, &smooth, &graph);
    if (s == HEDDLE_OK)
        s = build(graph, &params);
    if (s == HEDDLE_OK)
        s = heddle_graph_run(ctx, graph, &params, sizeof params);
    if (s == HEDDLE_OK)
        s = heddle_mem_read(ctx, sums, params.sums, N_ROWS * sizeof *sums);
    heddle_graph_free(graph);
    return s;
}

/* team_size 0: the backend's own. */
static heddle_status run_on(heddle_backend backend, unsigned team_size, double sums[N_ROWS])
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    void *memory = NULL;
    heddle_status s;

    config.backend = backend;
    config.team_size = team_size;
    s = heddle_ctx_open(&ctx, &config);
    if (s == HEDDLE_OK)
        s = heddle_mem_new(ctx, (2 * N_ROWS * ROW + N_ROWS) * sizeof(double), &memory);
    if (s == HEDDLE_OK)
        s = compute(ctx, memory, sums);
    if (s != HEDDLE_OK)
        fprintf(stderr, "smooth: %s: %s\n", heddle_status_text(s), heddle_error_text(ctx));
    heddle_mem_free(ctx, memory);
    heddle_ctx_close(ctx);
    return s;
}

int main(void)
{
    const unsigned threads[] = {1, 3, 8};
    double sums[N_ROWS], again[N_ROWS];

    for (int i = 0; i < N_ROWS * ROW; i++)
        input[i] = 1.0 / (1 + i);
    if (run_on(HEDDLE_CPU, 0, sums) != HEDDLE_OK)
        return 1;
    for (int r = 0; r < N_ROWS; r++)
        printf("row %d: %.6f\n", r, sums[r]);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        if (run_on(HEDDLE_SERIAL, threads[i], again) != HEDDLE_OK)
            return 1;
        printf("threads %u: %s\n", threads[i], memcmp(sums, again, sizeof sums) == 0 ? "the same bits" : "other bits");
    }
    return 0;
}
