/* SPDX-License-Identifier: MIT */
/* choice.c - what heddle chooses on a GPU where the config leaves it: both styles of plan are tried and named, the choice is
 * written into the tuning file and found by the next context's first run, a damaged tuning file does no harm, a captured form is
 * kept; and one context in one way after another. Results are right in every run. */
#include "gpu/rig.h"

#include <cuda_runtime.h>
#include <unistd.h>

static char dir[] = "/tmp/heddle_choice_XXXXXX", path[64];

static heddle_config config_of(heddle_schedule d, const char *tuning_file)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_CUDA;
    c.schedule = d;
    c.time_limit_ms = 20000;
    c.tuning_file = tuning_file;
    return c;
}

static void open_rig(rig *r, heddle_schedule d, const char *tuning_file)
{
    heddle_config c = config_of(d, tuning_file);
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    rig_open(r, ctx);
    rig_chains(r, 32, 20);
}

static void close_rig(rig *r)
{
    heddle_ctx *ctx = r->ctx;
    rig_close(r);
    heddle_ctx_close(ctx);
}

static int how_has(const rig *r, const char *word) { return strstr(heddle_graph_describe_run(r->g), word) != NULL; }

/* The field says what the sentence says. */
static int is_trying(const rig *r)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    CHECK_OK(r->ctx, heddle_graph_get_stats(r->g, &stats));
    CHECK_MSG(stats.is_trying == (uint32_t)how_has(r, "being tried"), "%s", heddle_graph_describe_run(r->g));
    return (int)stats.is_trying;
}

/* Runs until nothing is tried any more. */
static uint32_t settle(rig *r, uint32_t n_seen[2])
{
    uint32_t n = 0;
    do {
        rig_run_well(r, "being tried");
        n_seen[0] += how_has(r, "static path,");
        n_seen[1] += how_has(r, "static depth,");
        CHECK(++n < 40);
    } while (is_trying(r));
    CHECK_MSG(how_has(r, "the best of"), "%s", heddle_graph_describe_run(r->g));
    return n;
}

static void test_styles(void)
{
    uint32_t n_seen[2] = {0, 0}, n;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, NULL);
    n = settle(&r, n_seen);
    CHECK(n >= 3 * 2 + 1 + 3 && n <= 3 * 5 + 1); /* two runs each, then the best has three more at least */
    CHECK(n_seen[0] >= 2 && n_seen[1] >= 2);
    printf("%s\n", heddle_graph_describe_run(r.g));
    CHECK_OK(r.ctx, heddle_graph_replan(r.g, 4)); /* a plan of one's own is all there is */
    rig_run_well(&r, "given");
    CHECK_MSG(how_has(&r, "static given, 4 workers") && !how_has(&r, "tried"), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

static void test_tuning_file(heddle_schedule d)
{
    uint32_t n_seen[2] = {0, 0};
    char best[32];
    rig r;
    open_rig(&r, d, path);
    CHECK(settle(&r, n_seen) > 1);
    snprintf(best, sizeof best, "%.*s", (int)strcspn(heddle_graph_describe_run(r.g), ","),
             heddle_graph_describe_run(r.g));
    close_rig(&r);
    open_rig(&r, d, path);
    rig_run_well(&r, "remembered");
    CHECK_MSG(how_has(&r, "as the tuning_file remembers") &&
                  !strncmp(heddle_graph_describe_run(r.g), best, strlen(best)),
              "%s, then %s", best, heddle_graph_describe_run(r.g));
    rig_run_well(&r, "remembered");
    close_rig(&r);
    open_rig(&r, d, path); /* another graph: nothing is known */
    (void)rig_add(&r, faulty_step, 40, 1);
    CHECK_OK(r.ctx, rig_run(&r));
    CHECK_MSG(is_trying(&r), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

static void test_damaged(void)
{
    uint32_t n_seen[2] = {0, 0};
    FILE *f = fopen(path, "w");
    rig r;
    CHECK(f && fputs("something else\n", f) >= 0 && fclose(f) == 0);
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, path);
    rig_run_well(&r, "damaged");
    CHECK_MSG(is_trying(&r) && how_has(&r, "is damaged"), "%s", heddle_graph_describe_run(r.g));
    (void)settle(&r, n_seen);
    CHECK_MSG(how_has(&r, "is damaged"), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

/* While a run is captured nothing may be tried, and what was captured may be replayed for ever. */
static void test_captured(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint32_t i;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, NULL);
    rig_run_well(&r, "before");
    CHECK(!cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_OK(r.ctx, heddle_graph_enqueue(r.ctx, r.g, &r.params, sizeof r.params, stream));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&exec, graph, 0));
    for (i = 0; i < 8; i++) {
        rig_run_well(&r, "beside a captured run");
        CHECK(!cudaGraphLaunch(exec, stream) && !cudaStreamSynchronize(stream));
        rig_expect(&r, 1);
        rig_check(&r, "a replay");
    }
    CHECK_MSG(how_has(&r, "captured"), "%s", heddle_graph_describe_run(r.g));
    CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph) && !cudaStreamDestroy(stream));
    close_rig(&r);
}

static void test_ways(void)
{
    static const heddle_schedule schedules[] = {HEDDLE_SCHEDULE_LEVELS,    HEDDLE_SCHEDULE_GRAPH,
                                                HEDDLE_SCHEDULE_DYNAMIC,   HEDDLE_SCHEDULE_LEVELS_SYNC,
                                                HEDDLE_SCHEDULE_TASKGRAPH, HEDDLE_SCHEDULE_AUTO};
    uint32_t i;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_TICKET, NULL);
    for (i = 0; i < 12; i++) {
        heddle_config c = config_of(HEDDLE_SCHEDULE_AUTO, NULL);
        rig_run_well(&r, "in turn");
        c.schedule = schedules[i % 6];
        c.n_trace = i % 2 ? 1000 : 0;
        CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
        CHECK(!strcmp(heddle_graph_describe_run(r.g), ""));
    }
    rig_run_well(&r, "in turn");
    close_rig(&r);
}

int main(void)
{
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/tuning_file", dir);
    test_styles();
    test_tuning_file(HEDDLE_SCHEDULE_STATIC);
    test_tuning_file(HEDDLE_SCHEDULE_AUTO);
    test_damaged();
    test_captured();
    test_ways();
    CHECK(unlink(path) == 0 && rmdir(dir) == 0);
    return 0;
}
