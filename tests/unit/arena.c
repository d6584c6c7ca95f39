/* SPDX-License-Identifier: MIT */
/* arena.c - a graph with bodies that may spawn costs memory for what it spawns, not for what it could. Many are loaded
 * and run, and the process grows by far less than their arenas. */
#include "check.h"
#include "heddle.h"
#include "heddle/task.h"

#include <stdio.h>
#include <unistd.h>

#define N_GRAPHS 16
#define N_RUNS 20
#define MOST_BYTES (1u << 20) /* per graph; two huge pages each would take more than 4 MB */

typedef struct spread_params {
    uint32_t *n_run;
} spread_params;
typedef struct spread_args {
    uint32_t n;
} spread_args;
#define SPREAD_BODIES(X) X(spread_root, 0) X(spread_leaf, 0)
HEDDLE_ENUM(spread, SPREAD_BODIES)
HEDDLE_SPAWNER(spread_root, spread_params, params, spread_args, t, 4)
{
    uint32_t i;
    for (i = 0; i < t->n; i++)
        heddle_task_spawn(thread, spread_leaf, t, sizeof *t, NULL, 0, 0);
}
HEDDLE_BODY(spread_leaf, spread_params, params, spread_args, t)
{
    __atomic_add_fetch(params->n_run, 1, __ATOMIC_RELAXED);
}
HEDDLE_TABLE(spread, spread_params, SPREAD_BODIES)

static uint64_t resident_bytes(void)
{
    unsigned long long all, resident;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%llu %llu", &all, &resident) == 2);
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static heddle_graph *graph_of(heddle_ctx *ctx)
{
    const spread_args args = {4};
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, &spread, &g));
    CHECK_OK(ctx, heddle_graph_add(g, spread_root, &args, sizeof args, NULL, 0, NULL));
    return g;
}

static void test_backend(heddle_backend backend)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_graph *g[N_GRAPHS];
    uint32_t n_run = 0, i, k;
    spread_params params = {&n_run};
    uint64_t before, after, each;
    heddle_ctx *ctx;
    c.backend = backend;
    c.n_workers = 2;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    before = resident_bytes();
    for (i = 0; i < N_GRAPHS; i++) {
        g[i] = graph_of(ctx);
        for (k = 0; k < N_RUNS; k++)
            CHECK_OK(ctx, heddle_graph_run(ctx, g[i], &params, sizeof params));
    }
    after = resident_bytes();
    each = after > before ? (after - before) / N_GRAPHS : 0;
    printf("%s: %llu KB a graph\n", heddle_backend_name(backend), (unsigned long long)each >> 10);
    CHECK(n_run == N_GRAPHS * N_RUNS * 4);
    CHECK_MSG(each < MOST_BYTES, "%s: %llu bytes a graph", heddle_backend_name(backend), (unsigned long long)each);
    for (i = 0; i < N_GRAPHS; i++)
        heddle_graph_free(g[i]);
    heddle_ctx_close(ctx);
}

int main(void)
{
    test_backend(HEDDLE_CPU);
    test_backend(HEDDLE_SERIAL);
    return 0;
}
