/* SPDX-License-Identifier: MIT */
/* graph.c - adding tasks. The edges of random graphs against the byte oracle, without runs (tests/same runs such
 * graphs); argument records of every size, before and after freezing; queries of a graph; one writer, very many readers. */
#include "base/base.h"
#include "same/oracle.h"

static void body(const heddle_thread *thread, const void *params, const void *args)
{
    (void)thread;
    (void)params;
    (void)args;
}

static heddle_body_info bodies[SPEC_BODIES + 1];
static const heddle_table table = {
    sizeof table, HEDDLE_CORE_VERSION, "graph", 0, SPEC_BODIES + 1, bodies, NULL, 1, NULL, 0, 0, 0};

/* ---- random graphs ---------------------------------------------------------------------------------------------- */

static uint32_t random_graph(heddle_ctx *ctx, uint64_t *seed)
{
    static spec s;
    static heddle_task number[SPEC_TASKS];
    heddle_graph *g;
    uint32_t n_joins;
    spec_make(&s, seed);
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    spec_add(&s, g, number);
    CHECK_OK(ctx, heddle_graph_freeze(g));
    n_joins = oracle_check(&s, g, number);
    heddle_graph_free(g);
    return n_joins;
}

static void test_random(heddle_ctx *ctx, uint64_t *seed)
{
    uint32_t i, n_joins = 0;
    for (i = 0; i < 3000; i++)
        n_joins += random_graph(ctx, seed);
    printf("%u joins\n", n_joins);
    CHECK(n_joins > 200);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static uint8_t seen[HEDDLE_MAX_ARG_BYTES];

/* The body with the largest record stores its arguments. */
static void keep_args(const heddle_thread *thread, const void *params, const void *args)
{
    (void)thread;
    (void)params;
    memcpy(seen, args, sizeof seen);
}

static void check_args(heddle_ctx *ctx, heddle_graph *g, const uint8_t *args)
{
    memset(seen, 0, sizeof seen);
    CHECK_OK(ctx, heddle_graph_run(ctx, g, NULL, 0));
    CHECK(!memcmp(seen, args, sizeof seen));
}

static void test_arguments(heddle_ctx *ctx, uint64_t *seed)
{
    static uint8_t args[HEDDLE_MAX_ARG_BYTES];
    heddle_graph *g;
    heddle_task t;
    uint32_t round, i;
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    for (i = 0; i < 100; i++) /* makes the arena move */
        CHECK_OK(ctx, heddle_graph_add(g, 12, args, 300, NULL, 0, NULL));
    CHECK_OK(ctx, heddle_graph_add(g, SPEC_BODIES, args, sizeof args, NULL, 0, &t));
    for (i = 0; i < 100; i++)
        CHECK_OK(ctx, heddle_graph_add(g, 12, args, 300, NULL, 0, NULL));
    for (round = 0; round < 3; round++) { /* changed before freezing, after it, after a run */
        for (i = 0; i < sizeof args; i++)
            args[i] = (uint8_t)check_random(seed);
        CHECK_OK(ctx, heddle_graph_set_args(g, t, args, sizeof args));
        if (round == 1)
            CHECK_OK(ctx, heddle_graph_freeze(g));
        check_args(ctx, g, args);
    }
    heddle_graph_free(g);
}

/* ---- wide shapes ------------------------------------------------------------------------------------------------- */

/* One task writes, n read, one writes, all in one range: 2n edges, no join, none between the writers. */
static void test_fan(heddle_ctx *ctx, uint32_t n)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_range r = HEDDLE_INOUT(&info, 8), in = HEDDLE_IN(&info, 8);
    heddle_graph *g;
    uint32_t i;
    size_t n_succ;
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    for (i = 0; i < n + 2; i++)
        CHECK_OK(ctx, heddle_graph_add(g, 0, NULL, 0, i % (n + 1) ? &in : &r, 1, NULL));
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_get_info(g, &info));
    CHECK_MSG(info.n_edges == 2ull * n && info.n_joins == 0 && info.n_levels == 3 && info.max_width == n &&
                  info.n_roots == 1,
              "%llu edges, %llu joins", (unsigned long long)info.n_edges, (unsigned long long)info.n_joins);
    CHECK_OK(ctx, heddle_graph_get_successors(g, 0, NULL, 0, &n_succ));
    CHECK(n_succ == n);
    heddle_graph_free(g);
}

/* n tasks write parts, n read the whole, n write parts: the edges grow with n, not with n * n. */
static void test_crowds(heddle_ctx *ctx, uint32_t n)
{
    static uint8_t lot[1u << 20];
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_graph *g;
    uint32_t i;
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    for (i = 0; i < 3 * n; i++) {
        heddle_range part = HEDDLE_INOUT(lot + i % n * 8, 8), whole = HEDDLE_IN(lot, n * 8);
        CHECK_OK(ctx, heddle_graph_add(g, 0, NULL, 0, i / n == 1 ? &whole : &part, 1, NULL));
    }
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_get_info(g, &info));
    CHECK_MSG(info.n_edges <= 6ull * n && info.n_joins >= 1 && info.n_levels == 3, "%llu edges, %llu joins",
              (unsigned long long)info.n_edges, (unsigned long long)info.n_joins);
    heddle_graph_free(g);
}

static void test_memory(heddle_ctx *ctx)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_graph *g;
    uint32_t i;
    CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
    for (i = 0; i < 100000; i++) {
        heddle_range r = HEDDLE_INOUT((void *)(uintptr_t)(4096 + i * 64ull), 64);
        CHECK_OK(ctx, heddle_graph_add(g, 3, &info, 8, &r, 1, NULL));
    }
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_get_info(g, &info));
    CHECK_MSG(info.blob_bytes <= 160 * info.n_tasks && info.peak_bytes >= info.blob_bytes,
              "blob of %llu bytes, peak %llu", (unsigned long long)info.blob_bytes,
              (unsigned long long)info.peak_bytes);
    heddle_graph_free(g);
}

int main(void)
{
    uint64_t seed = check_seed(20260102), held = hd_held_bytes();
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint32_t i;
    for (i = 0; i < SPEC_BODIES; i++)
        bodies[i] = (heddle_body_info){"nothing", body, spec_arg_bytes[i], 0, 0};
    bodies[i] = (heddle_body_info){"keep_args", keep_args, HEDDLE_MAX_ARG_BYTES, 0, 0};
    cfg.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    test_random(ctx, &seed);
    test_arguments(ctx, &seed);
    test_fan(ctx, 3);
    test_fan(ctx, 1000);
    test_fan(ctx, 50000);
    test_crowds(ctx, 17);
    test_crowds(ctx, 2000);
    test_memory(ctx);
    heddle_ctx_close(ctx);
    CHECK(hd_held_bytes() == held);
    return 0;
}
