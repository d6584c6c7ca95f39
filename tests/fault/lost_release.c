/* SPDX-License-Identifier: MIT */
/* lost_release.c - a release that never comes, on threads: a task expects one predecessor more than it has. The run
 * ends at its limit with a sentence that names the task and its count, run after run, and the context stays usable.
 * Dispatch ticket ends the run at once. */
#include "fault/bodies.h"
#include "run/run.h"

static void lose_release(heddle_graph *graph, uint32_t t)
{
    uint32_t i, k;
    hd_task *task = (hd_task *)(uintptr_t)hd_graph_task(&graph->g, t);
    CHECK(task->n_in == 2);
    task->n_in = 3;
    for (i = 0; i < t; i++) {
        task = (hd_task *)(uintptr_t)hd_graph_task(&graph->g, i);
        for (k = 0; k < task->n_succ; k++)
            task->first[k].need++;
    }
}

static heddle_graph *losing_graph(heddle_ctx *ctx)
{
    fault_step_args args = {0, 1};
    heddle_graph *g;
    heddle_task t[3];
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    for (args.at = 0; args.at < 2; args.at++)
        CHECK_OK(ctx, heddle_graph_add(g, fault_step, &args, sizeof args,
                                       HEDDLE_RANGES(HEDDLE_INOUT(fault_key(args.at), 8)), &t[args.at]));
    CHECK_OK(ctx, heddle_graph_add(g, fault_step, &args, sizeof args,
                                   HEDDLE_RANGES(HEDDLE_IN(fault_key(0), 8), HEDDLE_IN(fault_key(1), 8)), &t[2]));
    CHECK_OK(ctx, heddle_graph_freeze(g));
    lose_release(g, t[2]);
    return g;
}

static heddle_ctx *limited(heddle_schedule d)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = 2;
    c.schedule = d;
    c.time_limit_ms = 250; /* enough for the second release even on a busy machine */
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    return ctx;
}

static void test_schedule(heddle_schedule d)
{
    uint64_t cells[N_CELLS] = {0};
    uint32_t gate = 1, run;
    fault_params params = {cells, &gate};
    heddle_ctx *ctx = limited(d);
    heddle_graph *g = losing_graph(ctx);
    for (run = 0; run < 2; run++) {
        heddle_status s = heddle_graph_run(ctx, g, &params, sizeof params);
        /* Under ticket a run ends by itself when no worker can go on. */
        CHECK_MSG(s == (d == HEDDLE_SCHEDULE_TICKET ? HEDDLE_ECYCLE : HEDDLE_ETIMEDOUT), "%s: %s",
                  heddle_schedule_name(d), heddle_status_text(s));
        CHECK_MSG(strstr(heddle_error_text(ctx), "task 2 (fault_step) waits, 2 of its 3 predecessors done"), "%s: %s",
                  heddle_schedule_name(d), heddle_error_text(ctx));
    }
    heddle_graph_free(g);
    fault_check_usable(ctx);
    heddle_ctx_close(ctx);
}

int main(void)
{
    test_schedule(HEDDLE_SCHEDULE_RINGS);
    test_schedule(HEDDLE_SCHEDULE_TICKET);
    test_schedule(HEDDLE_SCHEDULE_IQS);
    test_schedule(HEDDLE_SCHEDULE_SCHEDULER);
    test_schedule(HEDDLE_SCHEDULE_CENTRAL);
    return 0;
}
