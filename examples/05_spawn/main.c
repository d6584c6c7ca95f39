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
    fprintf(stderr, "%s\n", heddle_errmsg(ctx));
    exit(1);
}

int main(void)
{
    static const uint32_t coins_of_euro[] = {200, 100, 50, 20, 10, 5, 2, 1}, one = 1;
    const coins_args all = {60, 0, 0, 0};
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    coins_app app = {NULL, NULL, NULL, 8};
    uint64_t ways;
    void *p;
    must(NULL, heddle_open(&ctx, NULL));
    must(ctx, heddle_mem_new(ctx, sizeof coins_of_euro, &p));
    app.coin = p;
    must(ctx, heddle_mem_write(ctx, p, coins_of_euro, sizeof coins_of_euro));
    must(ctx, heddle_mem_new(ctx, MOST_CELLS * sizeof(uint64_t), (void **)&app.ways));
    must(ctx, heddle_mem_new(ctx, sizeof one, (void **)&app.n_cells));
    must(ctx, heddle_mem_write(ctx, app.n_cells, &one, sizeof one));

    must(ctx, heddle_graph_new(ctx, &coins, &g));
    must(ctx, heddle_graph_add(g, coins_count, &all, sizeof all, NULL, 0, NULL));
    must(ctx, heddle_run(ctx, g, &app, sizeof app));

    must(ctx, heddle_mem_read(ctx, &ways, app.ways, sizeof ways));
    must(ctx, heddle_get_stats(g, &stats));
    printf("60 cents can be paid in %llu ways; %llu tasks have run\n", (unsigned long long)ways,
           (unsigned long long)stats.n_tasks);
    heddle_graph_free(g);
    heddle_mem_free(ctx, app.n_cells);
    heddle_mem_free(ctx, app.ways);
    heddle_mem_free(ctx, (void *)(uintptr_t)app.coin);
    heddle_close(ctx);
    return 0;
}
