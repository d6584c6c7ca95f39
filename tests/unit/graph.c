/* SPDX-License-Identifier: MIT */
/* graph.c - adding tasks: the edges of random graphs against the byte oracle, without running them. (More of the same
 * stands in tests/same, with runs.) */
#include "same/oracle.h"

static void body(const heddle_lane *lane, const void *app, const void *args)
{
    (void)lane;
    (void)app;
    (void)args;
}
int main(void)
{
    uint64_t seed = check_seed(20260102), i, n_joins = 0, n_tasks = 0;
    static heddle_body_info bodies[SPEC_BODIES];
    heddle_table table = {sizeof table, HEDDLE_CORE_VERSION, "spec", 0, SPEC_BODIES, bodies, NULL};
    static spec s;
    heddle_task number[SPEC_TASKS];
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    for (i = 0; i < SPEC_BODIES; i++)
        bodies[i] = (heddle_body_info){"spec", body, spec_arg_bytes[i], 0};
    cfg.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_open(&ctx, &cfg));
    for (i = 0; i < 3000; i++) {
        heddle_graph *g;
        uint64_t start = seed;
        spec_make(&s, &seed);
        if (getenv("ONLY") && strtoull(getenv("ONLY"), 0, 0) != start)
            continue;
        CHECK_OK(ctx, heddle_graph_new(ctx, &table, &g));
        spec_add(&s, g, number);
        CHECK_OK(ctx, heddle_graph_freeze(g));
        n_joins += oracle_check(&s, g, number);
        n_tasks += s.n_tasks;
        heddle_graph_free(g);
    }
    printf("%llu tasks, %llu joins\n", (unsigned long long)n_tasks, (unsigned long long)n_joins);
    heddle_close(ctx);
    return 0;
}
