/* SPDX-License-Identifier: MIT */
/* wave_rig.c - see wave_rig.h. */
#include "wave_rig.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 5

heddle_ctx *ctx;
heddle_schedule schedule;

void must(heddle_status s, const char *what)
{
    if (s == HEDDLE_OK)
        return;
    printf("# %s: %s\n", what, heddle_error_text(ctx));
    exit(1);
}

void *to_device(const void *from, size_t n_bytes)
{
    void *p;
    must(heddle_mem_new(ctx, n_bytes, &p), "making memory");
    if (from)
        must(heddle_mem_write(ctx, p, from, n_bytes), "copying");
    return p;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t measure(const heddle_table *table, const heddle_wave_desc *d, const void *params, size_t n_bytes,
                 const char **how)
{
    uint64_t ns[RUNS];
    heddle_graph *g;
    heddle_stats stats = HEDDLE_STATS_INIT;
    if (heddle_wave_new(ctx, table, d, &g) != HEDDLE_OK) {
        *how = heddle_error_text(ctx);
        return 0;
    }
    for (int i = -1; i < RUNS; i++) {
        if (heddle_graph_run(ctx, g, params, n_bytes) != HEDDLE_OK) {
            heddle_graph_free(g);
            *how = heddle_error_text(ctx);
            return 0;
        }
        must(heddle_graph_get_stats(g, &stats), "statistics");
        if (i >= 0)
            ns[i] = stats.run_ns;
    }
    heddle_graph_free(g);
    qsort(ns, RUNS, sizeof ns[0], by_value);
    *how = "";
    return ns[RUNS / 2];
}
