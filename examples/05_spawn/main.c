/* SPDX-License-Identifier: MIT */
/* main.c - the graph is one task; all others are made by tasks, on the CPU or inside the GPU. */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_CELLS 400000u

static void must(heddle_ctx *ctx, heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(ctx));
    exit(1);
}

int main(void)
{
    static const uint32_t coins_of_euro[] = {200, 100, 50, 20, 10, 5, 2, 1}, one = 1;
    const coins_args all = {60, 0, 0, 0};
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    coins_params params = {NULL, NULL, NULL, 8};
    uint64_t ways;
    void *p;
    must(NULL, heddle_ctx_open(&ctx, NULL));
    must(ctx, heddle_mem_new(ctx, sizeof coins_of_euro, &p));
    params.coin = p;
    must(ctx, heddle_mem_write(ctx, p, coins_of_euro, sizeof coins_of_euro));
    must(ctx, heddle_mem_new(ctx, MOST_CELLS * sizeof(uint64_t), (void **)&params.ways));
    must(ctx, heddle_mem_new(ctx, sizeof one, (void **)&params.n_cells));
    must(ctx, heddle_mem_write(ctx, params.n_cells, &one, sizeof one));

    must(ctx, heddle_graph_new(ctx, &coins, &g));
    must(ctx, heddle_graph_add(g, coins_count, &all, sizeof all, NULL, 0, NULL));
    must(ctx, heddle_graph_run(ctx, g, &params, sizeof params));

    must(ctx, heddle_mem_read(ctx, &ways, params.ways, sizeof ways));
    must(ctx, heddle_graph_get_stats(g, &stats));
    printf("60 cents can be paid in %llu ways; %llu tasks have run\n", (unsigned long long)ways,
           (unsigned long long)stats.n_tasks);
    heddle_graph_free(g);
    heddle_mem_free(ctx, params.n_cells);
    heddle_mem_free(ctx, params.ways);
    heddle_mem_free(ctx, (void *)(uintptr_t)params.coin);
    heddle_ctx_close(ctx);
    return 0;
}
