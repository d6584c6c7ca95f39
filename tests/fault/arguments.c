/* SPDX-License-Identifier: MIT */
/* arguments.c - bad arguments for every public call: each gives the status of heddle.h and a sentence, and changes
 * nothing in the call's object. */
#include "fault/bodies.h"

#include <unistd.h>

/* The call must fail with `status` and set a new sentence. */
#define REFUSED(ctx, status, call)                                                                                    \
    do {                                                                                                              \
        heddle_status said_;                                                                                          \
        forget(ctx);                                                                                                  \
        said_ = (call);                                                                                               \
        CHECK_MSG(said_ == (status), "%s: %s", #call, heddle_status_text(said_));                                     \
        CHECK_MSG(strlen(heddle_error_text(ctx)) > 8 && strcmp(heddle_error_text(ctx), forgotten(ctx)), "%s: \"%s\"", \
                  #call, heddle_error_text(ctx));                                                                     \
    } while (0)

static char of_thread[512], of_context[512];
static const char *forgotten(heddle_ctx *ctx) { return ctx ? of_context : of_thread; }

/* Replaces the sentence by that of a call which no test here makes. */
static void forget(heddle_ctx *ctx)
{
    if (ctx)
        (void)heddle_mem_new(ctx, 0, &(void *){NULL});
    else
        (void)heddle_ctx_get_config(NULL, NULL);
    snprintf(ctx ? of_context : of_thread, sizeof of_context, "%s", heddle_error_text(ctx));
}

static void test_open(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, bad;
    heddle_ctx *ctx = (heddle_ctx *)&c;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_ctx_open(NULL, NULL));
#define BAD(field, value, status)                       \
    bad = c;                                            \
    bad.field = (value);                                \
    ctx = (heddle_ctx *)&c;                             \
    REFUSED(NULL, status, heddle_ctx_open(&ctx, &bad)); \
    CHECK(ctx == NULL)
    BAD(size, 0, HEDDLE_EINVAL);
    BAD(backend, (heddle_backend)4, HEDDLE_EINVAL);
    BAD(backend, (heddle_backend)-1, HEDDLE_EINVAL);
    BAD(expert.policy, (heddle_policy)HEDDLE_N_POLICIES, HEDDLE_EINVAL);
    BAD(expert.policy, (heddle_policy)-1, HEDDLE_EINVAL);
    BAD(schedule, (heddle_schedule)HEDDLE_N_SCHEDULES, HEDDLE_EINVAL);
    BAD(schedule, (heddle_schedule)-1, HEDDLE_EINVAL);
    BAD(idle, (heddle_idle)HEDDLE_N_IDLES, HEDDLE_EINVAL);
    BAD(idle, (heddle_idle)-1, HEDDLE_EINVAL);
    BAD(expert.n_local, (1u << 30) + 1, HEDDLE_ERANGE);
    BAD(device, 5, HEDDLE_ENODEV);
    BAD(n_workers, 4097, HEDDLE_ERANGE);
    BAD(team_size, 1025, HEDDLE_ERANGE);
    BAD(n_trace, (1u << 26) + 1, HEDDLE_ERANGE);
    BAD(expert.n_ring, (1u << 20) + 1, HEDDLE_ERANGE);
    c.backend = HEDDLE_CPU;
    BAD(team_size, 3, HEDDLE_EINVAL);
    if (!heddle_backend_is_present(HEDDLE_CUDA)) {
        BAD(backend, HEDDLE_CUDA, HEDDLE_ENODEV);
    }
    CHECK(!heddle_backend_is_present((heddle_backend)77) && heddle_backend_is_present(HEDDLE_SERIAL) &&
          heddle_backend_is_present(HEDDLE_CPU));
    CHECK(heddle_backend_is_present(HEDDLE_AUTO));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_job_wait(NULL, 0));
}

static void test_memory(heddle_ctx *ctx)
{
    char host[64];
    void *p = host;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_mem_new(NULL, 8, &p));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_mem_new(ctx, 8, NULL));
    REFUSED(ctx, HEDDLE_ENOMEM, heddle_mem_new(ctx, SIZE_MAX, &p));
    CHECK(p == NULL);
    REFUSED(ctx, HEDDLE_ENOMEM, heddle_mem_new(ctx, SIZE_MAX - 100, &p));
    REFUSED(ctx, HEDDLE_ENOMEM, heddle_mem_new(ctx, SIZE_MAX / 2, &p));
    CHECK(heddle_mem_new(ctx, 0, &p) == HEDDLE_ERANGE);
    CHECK_OK(ctx, heddle_mem_new(ctx, 8, &p));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_mem_write(NULL, p, host, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_mem_write(ctx, NULL, host, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_mem_write(ctx, p, NULL, 8));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_mem_read(NULL, host, p, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_mem_read(ctx, NULL, p, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_mem_read(ctx, host, NULL, 8));
    CHECK_OK(ctx, heddle_mem_read(ctx, NULL, NULL, 0));
    heddle_mem_free(ctx, p);
    heddle_mem_free(ctx, NULL);
    heddle_mem_free(NULL, NULL);
}

static void test_tables(heddle_ctx *ctx)
{
    heddle_graph *g = (heddle_graph *)&g;
    heddle_body_info info = {"big", fault.bodies[0].run, HEDDLE_MAX_ARG_BYTES + 1, 0, 0};
    heddle_table t = fault;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_new(NULL, &fault, &g));
    CHECK(g == NULL);
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_new(ctx, NULL, &g));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_new(ctx, &fault, NULL));
    t.core_version = HEDDLE_CORE_VERSION + 1;
    REFUSED(ctx, HEDDLE_EVERSION, heddle_graph_new(ctx, &t, &g));
    t = fault;
    t.size--;
    REFUSED(ctx, HEDDLE_EVERSION, heddle_graph_new(ctx, &t, &g));
    t = fault;
    t.n_bodies = 0;
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_new(ctx, &t, &g));
    t.n_bodies = HEDDLE_BODY_JOIN;
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_new(ctx, &t, &g));
    t = fault;
    t.bodies = &info;
    t.n_bodies = 1;
    REFUSED(ctx, HEDDLE_ERANGE, heddle_graph_new(ctx, &t, &g));
    info.arg_bytes = 0;
    info.run = NULL;
    CHECK(heddle_graph_new(ctx, &t, &g) != HEDDLE_OK);
}

static void test_add(heddle_ctx *ctx, heddle_graph *g)
{
    fault_step_args a = {0, 1};
    heddle_range r = HEDDLE_INOUT(fault_key(0), 8);
    heddle_task_desc d = HEDDLE_TASK_INIT, bad;
    heddle_task t = 0;
    d.args = &a;
    d.arg_bytes = sizeof a;
    d.ranges = &r;
    d.n_ranges = 1;
    CHECK_OK(ctx, heddle_graph_add_task(g, &d, &t));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_add(NULL, 0, &a, sizeof a, &r, 1, &t));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_add_task(NULL, &d, &t));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add_task(g, NULL, &t));
#define BAD_TASK(field, value, status) \
    bad = d;                           \
    bad.field = (value);               \
    REFUSED(ctx, status, heddle_graph_add_task(g, &bad, &t))
    BAD_TASK(size, 0, HEDDLE_EINVAL);
    BAD_TASK(body, fault_n_bodies, HEDDLE_EINVAL);
    BAD_TASK(body, HEDDLE_BODY_JOIN, HEDDLE_EINVAL);
    BAD_TASK(body, UINT32_MAX, HEDDLE_EINVAL);
    BAD_TASK(args, NULL, HEDDLE_EINVAL);
    BAD_TASK(arg_bytes, sizeof a - 1, HEDDLE_EINVAL);
    BAD_TASK(arg_bytes, sizeof a + 1, HEDDLE_EINVAL);
    BAD_TASK(arg_bytes, 0, HEDDLE_EINVAL);
    BAD_TASK(arg_bytes, (1ull << 32) + sizeof a, HEDDLE_EINVAL);
    BAD_TASK(ranges, NULL, HEDDLE_EINVAL);
    BAD_TASK(flags, 2, HEDDLE_EINVAL);
    BAD_TASK(flags, 0x80000001u, HEDDLE_EINVAL);
    CHECK(t == 0);
}

static void test_ranges(heddle_ctx *ctx, heddle_graph *g)
{
    static const struct {
        uint64_t base, row_bytes, n_rows, stride_bytes;
        int mode;
        heddle_status status;
    } bad[] = {{64, 0, 1, 0, 1, HEDDLE_ERANGE},
               {64, 8, 2, 7, 1, HEDDLE_ERANGE},
               {UINT64_MAX - 6, 8, 1, 0, 2, HEDDLE_ERANGE},
               {64, 8, UINT64_MAX, 16, 3, HEDDLE_ERANGE},
               {64, UINT64_MAX, 1, 0, 3, HEDDLE_ERANGE},
               {64, 8, 1ull << 40, 1ull << 40, 3, HEDDLE_ERANGE},
               {64, 8, 1, 0, 0, HEDDLE_EINVAL},
               {64, 8, 1, 0, 4, HEDDLE_EINVAL}};
    fault_step_args a = {0, 1};
    heddle_range r[2] = {HEDDLE_INOUT(fault_key(0), 8), HEDDLE_INOUT(fault_key(0), 8)};
    size_t i;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        r[1] = heddle_range_of((const void *)(uintptr_t)bad[i].base, bad[i].row_bytes, bad[i].n_rows,
                               bad[i].stride_bytes, (heddle_mode)bad[i].mode);
        REFUSED(ctx, bad[i].status, heddle_graph_add(g, fault_step, &a, sizeof a, r, 2, NULL));
    }
}

static void test_graph(heddle_ctx *ctx, heddle_graph *g)
{
    fault_step_args a = {0, 1};
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_add_edge(NULL, 1, 0));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add_edge(g, 0, 0));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add_edge(g, 0, 1000));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add_edge(g, UINT32_MAX, 0));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_set_shared_bytes(NULL, 0, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_set_shared_bytes(g, fault_n_bodies, 8));
    REFUSED(ctx, HEDDLE_ERANGE, heddle_graph_set_shared_bytes(g, 0, UINT32_MAX));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_mark_urgent(NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_freeze(NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_set_args(NULL, 0, &a, sizeof a));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_set_args(g, 1000, &a, sizeof a));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_set_args(g, 0, NULL, sizeof a));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_set_args(g, 0, &a, sizeof a - 1));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_on_done(NULL, 0, NULL, NULL));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_on_done(g, 0, NULL, NULL)); /* not watched */
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_on_done(g, 1000, NULL, NULL));
}

static void test_look(heddle_ctx *ctx, heddle_graph *g)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_task succ[2];
    uint32_t body;
    size_t n;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_info(NULL, &info));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_info(g, NULL));
    info.size = 1;
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_info(g, &info));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_successors(NULL, 0, succ, 2, &n));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_successors(g, 0, succ, 2, &n)); /* not frozen */
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_body(NULL, 0, &body));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_body(g, 0, NULL));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_body(g, 1000, &body));
    CHECK(heddle_graph_get_table(NULL) == NULL && heddle_graph_get_table(g) == &fault);
}

static void test_frozen(heddle_ctx *ctx, heddle_graph *g)
{
    fault_step_args a = {0, 1};
    heddle_graph_info before = HEDDLE_GRAPH_INFO_INIT, after = HEDDLE_GRAPH_INFO_INIT;
    heddle_task succ[2];
    size_t n;
    CHECK_OK(ctx, fault_add_step(g, 0, 2, NULL));
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_freeze(g));
    CHECK_OK(ctx, heddle_graph_get_info(g, &before));
    CHECK(before.n_tasks == 2 && before.n_edges == 1); /* refused calls have left nothing behind */
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add(g, fault_step, &a, sizeof a, NULL, 0, NULL));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_add_edge(g, 1, 0));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_set_shared_bytes(g, 0, 8));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_mark_urgent(g));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_successors(g, 1000, succ, 2, &n));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_successors(g, 0, NULL, 2, &n));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_successors(g, 0, succ, 2, NULL));
    CHECK_OK(ctx, heddle_graph_get_info(g, &after));
    CHECK(!memcmp(&before, &after, sizeof before));
}

static void test_run(heddle_ctx *ctx, heddle_graph *g)
{
    heddle_ctx *other = fault_open(HEDDLE_SERIAL, 0);
    uint64_t cell[N_CELLS] = {0};
    fault_params params = {cell, NULL};
    heddle_job *j = (heddle_job *)&params;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_run(NULL, g, &params, sizeof params));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_run(ctx, NULL, &params, sizeof params));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_run(ctx, g, NULL, sizeof params));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_run(ctx, g, &params, sizeof params - 1));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_run(ctx, g, &params, 0));
    REFUSED(other, HEDDLE_EINVAL, heddle_graph_run(other, g, &params, sizeof params));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_submit(NULL, g, &params, sizeof params, &j));
    CHECK(j == NULL);
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_submit(ctx, g, &params, sizeof params, NULL));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_submit(ctx, NULL, &params, sizeof params, &j));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_submit(ctx, g, NULL, sizeof params, &j));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_job_test(NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_job_wait_task(NULL, 0, 0));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
    CHECK(cell[0] == 5); /* (0 * 3 + 1) * 3 + 2: nothing ran before */
    heddle_ctx_close(other);
}

static void test_reports(heddle_ctx *ctx, heddle_graph *g)
{
    heddle_stats st = HEDDLE_STATS_INIT;
    heddle_worker_stats w;
    heddle_body_stats b;
    heddle_event ev;
    size_t n;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_stats(NULL, &st));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_stats(g, NULL));
    st.size = 3;
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_stats(g, &st));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_worker_stats(NULL, 0, &w));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_worker_stats(g, 1000, &w));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_worker_stats(g, 0, NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_body_stats(NULL, 0, &b));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_body_stats(g, fault_n_bodies, &b));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_body_stats(g, 0, NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_get_events(NULL, &ev, 1, &n));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_events(g, NULL, 1, &n));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_events(g, &ev, 1, NULL));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_write_trace(NULL, "/tmp/x"));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_write_trace(g, "/tmp/heddle_no_trace.json")); /* there is no trace */
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_write_timeline(NULL, "/tmp/x", NULL));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_write_timeline(g, "/tmp/heddle_no_trace.svg", NULL));
    CHECK(access("/tmp/heddle_no_trace.json", F_OK) && access("/tmp/heddle_no_trace.svg", F_OK));
}

static void test_not_run(heddle_ctx *ctx)
{
    heddle_stats st = HEDDLE_STATS_INIT;
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_get_stats(g, &st));
    heddle_graph_free(g);
}

static void test_files(heddle_ctx *ctx, heddle_graph *g)
{
    heddle_graph *in = (heddle_graph *)&in;
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_write_dot(NULL, "/tmp/x"));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_write_dot(g, NULL));
    REFUSED(ctx, HEDDLE_EIO, heddle_graph_write_dot(g, "/nowhere/at/all.dot"));
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_write_json(NULL, "/tmp/x"));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_write_json(g, NULL));
    REFUSED(ctx, HEDDLE_EIO, heddle_graph_write_json(g, "/nowhere/at/all.json"));
    REFUSED(ctx, HEDDLE_EIO, heddle_graph_write_json(g, "/tmp")); /* a folder */
    REFUSED(NULL, HEDDLE_EINVAL, heddle_graph_read_json(NULL, NULL, "/tmp/x", &in));
    CHECK(in == NULL);
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_read_json(ctx, NULL, NULL, &in));
    REFUSED(ctx, HEDDLE_EINVAL, heddle_graph_read_json(ctx, NULL, "/tmp/x", NULL));
    REFUSED(ctx, HEDDLE_EIO, heddle_graph_read_json(ctx, NULL, "/nowhere/at/all.json", &in));
    CHECK(heddle_graph_read_json(ctx, NULL, "/tmp", &in) != HEDDLE_OK && in == NULL);
}

static void test_context(heddle_backend backend)
{
    heddle_ctx *ctx = fault_open(backend, 2);
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_graph *g;
    CHECK(heddle_ctx_get_config(ctx, NULL) == HEDDLE_EINVAL && heddle_ctx_get_config(NULL, &c) == HEDDLE_EINVAL);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &c));
    test_memory(ctx);
    test_tables(ctx);
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    test_add(ctx, g);
    test_ranges(ctx, g);
    test_graph(ctx, g);
    test_look(ctx, g);
    test_frozen(ctx, g);
    test_run(ctx, g);
    test_reports(ctx, g);
    test_not_run(ctx);
    test_files(ctx, g);
    fault_check_usable(ctx);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
}

int main(void)
{
    CHECK(!strcmp(heddle_error_text(NULL), ""));
    test_open();
    test_context(HEDDLE_SERIAL);
    test_context(HEDDLE_CPU);
    return 0;
}
