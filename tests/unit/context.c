/* SPDX-License-Identifier: MIT */
/* context.c - what heddle_ctx_open fills in, the machine it sees, memory of a context. */
#include "check.h"
#include "heddle.h"
#include "run/run.h"

#include <string.h>
#include <time.h>

static heddle_ctx *open_with(const heddle_config *c)
{
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, c));
    return ctx;
}

static void test_defaults(void)
{
    heddle_ctx *ctx = open_with(NULL);
    heddle_machine m;
    heddle_config c = HEDDLE_CONFIG_INIT;
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &c));
    heddle_machine_get(&m);
    CHECK(c.size == sizeof c && c.backend != HEDDLE_AUTO && heddle_backend_is_present(c.backend));
    CHECK(c.backend != HEDDLE_CPU || (c.n_workers == m.n_cores && c.policy != HEDDLE_POLICY_DEFAULT && c.n_ring &&
                                      c.spin_us && c.n_local && c.idle != HEDDLE_IDLE_DEFAULT));
    CHECK(!strcmp(heddle_error_text(ctx), ""));
    heddle_ctx_close(ctx);
}

/* A program compiled against an older, shorter struct: the rest counts as zero. */
static void test_old_config(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.size = offsetof(heddle_config, n_workers);
    c.backend = HEDDLE_CPU;
    c.n_workers = 99999; /* beyond its end: not read */
    c.policy = (heddle_policy)77;
    ctx = open_with(&c);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
    CHECK(got.backend == HEDDLE_CPU && got.n_workers > 0 && got.n_workers < 99999);
    heddle_ctx_close(ctx);
}

/* The same for what is written: not a byte beyond the end that the caller knows. */
#define CHECK_SHORT(type, last, init, call)                                                      \
    do {                                                                                         \
        type whole = init, part;                                                                 \
        const size_t n = offsetof(type, last), rest = sizeof part - n;                           \
        uint8_t untouched[sizeof part];                                                          \
        type *out = &whole;                                                                      \
        CHECK_OK(ctx, call);                                                                     \
        memset(untouched, 0xee, sizeof untouched);                                               \
        memset(&part, 0xee, sizeof part);                                                        \
        part.size = n;                                                                           \
        out = &part;                                                                             \
        CHECK_OK(ctx, call);                                                                     \
        CHECK(part.size == n && !memcmp((uint8_t *)&part + n, untouched, rest));                 \
        CHECK(!memcmp((uint8_t *)&part + sizeof n, (uint8_t *)&whole + sizeof n, n - sizeof n)); \
        part.size = sizeof n - 1;                                                                \
        CHECK(call == HEDDLE_EINVAL);                                                            \
    } while (0)

static void test_old_structs(void)
{
    static char name[] = "wait";
    char *const names[] = {name};
    heddle_table *table = hd_spin_table_new(names, 1);
    hd_spin_args a = {1};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_ctx *ctx = open_with(NULL);
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, table, &g));
    d.size = offsetof(heddle_task_desc, place);
    d.args = &a;
    d.arg_bytes = sizeof a;
    d.cost_ns = 5;
    d.place = 99; /* beyond its end: not read */
    CHECK_OK(ctx, heddle_graph_add_task(g, &d, NULL));
    CHECK(hd_graph_task(&g->g, 0)->cost_ns == 5 && !(hd_graph_task(&g->g, 0)->flags >> HD_TASK_PLACE));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, NULL, 0));
    CHECK_SHORT(heddle_config, team_size, HEDDLE_CONFIG_INIT, heddle_ctx_get_config(ctx, out));
    CHECK_SHORT(heddle_stats, is_trying, HEDDLE_STATS_INIT, heddle_graph_get_stats(g, out));
    CHECK_SHORT(heddle_graph_info, n_levels, HEDDLE_GRAPH_INFO_INIT, heddle_graph_get_info(g, out));
    heddle_graph_free(g);
    hd_spin_table_free(table);
    heddle_ctx_close(ctx);
}

static void test_given(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = 5;
    c.policy = HEDDLE_POLICY_GRR;
    c.n_trace = 10;
    c.time_limit_ms = 12345;
    c.n_ring = 5;
    c.spin_us = 3;
    c.no_pin = 1;
    c.n_local = 3;
    c.idle = HEDDLE_IDLE_POLITE;
    ctx = open_with(&c);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
    CHECK(got.n_workers == 5 && got.policy == HEDDLE_POLICY_GRR && got.n_trace == 10 && got.time_limit_ms == 12345);
    CHECK(got.n_ring == 8 && got.spin_us == 3 && got.no_pin == 1); /* rings are a power of two */
    CHECK(got.n_local == 3 && got.idle == HEDDLE_IDLE_POLITE);
    heddle_ctx_close(ctx);
}

/* Threads need the serial backend: auto chooses it. */
static void test_teams(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.team_size = 3;
    ctx = open_with(&c);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
    CHECK(got.backend == HEDDLE_SERIAL && got.team_size == 3 && got.n_workers == 1);
    heddle_ctx_close(ctx);
}

/* What a choice needs elsewhere in the config, or a GPU: refused with a sentence that has the word. */
typedef struct refusal {
    heddle_backend backend;
    heddle_executor executor;
    heddle_dispatch dispatch;
    heddle_policy policy;
    uint32_t by_body, sync, team_size;
    const char *word;
} refusal;

static const refusal refusals[] = {
    {HEDDLE_CPU, (heddle_executor)6, 0, 0, 0, 0, 0, "executor 6 is unknown"},
    {HEDDLE_CPU, 0, (heddle_dispatch)7, 0, 0, 0, 0, "dispatch 7 is unknown"},
    {HEDDLE_CPU, 0, 0, (heddle_policy)8, 0, 0, 0, "policy 8 is unknown"},
    {HEDDLE_CPU, 0, 0, 0, 3, 0, 0, "by_body is 3"},
    {HEDDLE_CPU, 0, 0, 0, 0, 2, 0, "sync is 2"},
    {HEDDLE_CPU, HEDDLE_EXECUTOR_PERSISTENT, 0, 0, 0, 0, 0, "executor persistent: a choice of the cuda backend"},
    {HEDDLE_SERIAL, HEDDLE_EXECUTOR_LEVELS, 0, 0, 0, 0, 0, "executor levels: a choice of the cuda backend"},
    {HEDDLE_CPU, 0, 0, 0, 1, 0, 0, "by body: a choice of the cuda backend"},
    {HEDDLE_CPU, 0, 0, 0, 0, 1, 0, "sync: only executor levels"},
    {HEDDLE_CUDA, HEDDLE_EXECUTOR_CUDAGRAPH, 0, 0, 0, 1, 0, "sync: only executor levels"},
    {HEDDLE_CUDA, HEDDLE_EXECUTOR_PERSISTENT, 0, 0, 1, 0, 0, "launches no levels"},
    {HEDDLE_CUDA, HEDDLE_EXECUTOR_TASKGRAPH, 0, 0, 2, 0, 0, "launches no levels"},
    {HEDDLE_SERIAL, 0, HEDDLE_DISPATCH_TICKET, 0, 0, 0, 0, "dispatch ticket: the serial backend"},
    {HEDDLE_CUDA, HEDDLE_EXECUTOR_LEVELS, HEDDLE_DISPATCH_PLAN, 0, 0, 0, 0, "has no workers"},
    {HEDDLE_CUDA, HEDDLE_EXECUTOR_TASKGRAPH, 0, HEDDLE_POLICY_LF, 0, 0, 0, "has no workers"},
    {HEDDLE_CPU, 0, HEDDLE_DISPATCH_TICKET, HEDDLE_POLICY_LRR, 0, 0, 0, "policy lrr: dispatch ticket"},
    {HEDDLE_CPU, 0, HEDDLE_DISPATCH_PLAN, HEDDLE_POLICY_SHARE, 0, 0, 0, "policy share: dispatch plan"},
    {HEDDLE_CPU, 0, HEDDLE_DISPATCH_CENTRAL, HEDDLE_POLICY_LF, 0, 0, 0, "policy lf: dispatch central"},
    {HEDDLE_CPU, 0, 0, 0, 0, 0, 2, "2 threads"},
};

/* The same of what only workers with rings do. */
static const struct {
    heddle_config config;
    const char *word;
} ring_refusals[] = {
    {{.idle = (heddle_idle)3}, "idle mode 3 is unknown"},
    {{.n_local = 1, .dispatch = HEDDLE_DISPATCH_PLAN}, "n_local: workers have rings of their own only under"},
    {{.n_local = 4, .dispatch = HEDDLE_DISPATCH_TICKET}, "n_local: workers have rings of their own only under"},
    {{.n_local = 1, .executor = HEDDLE_EXECUTOR_LEVELS}, "n_local: executor levels has no workers"},
    {{.idle = HEDDLE_IDLE_POLITE, .executor = HEDDLE_EXECUTOR_TASKGRAPH}, "idle mode polite: executor taskgraph"},
};

static void test_ring_refusals(void)
{
    size_t i;
    for (i = 0; i < sizeof ring_refusals / sizeof ring_refusals[0]; i++) {
        heddle_config c = ring_refusals[i].config;
        heddle_ctx *ctx;
        c.size = sizeof c;
        CHECK_MSG(heddle_ctx_open(&ctx, &c) == HEDDLE_EINVAL && !ctx, "row %zu: %s", i, heddle_error_text(NULL));
        CHECK_MSG(strstr(heddle_error_text(NULL), ring_refusals[i].word), "row %zu: %s", i, heddle_error_text(NULL));
    }
}

static void test_refusals(void)
{
    size_t i;
    for (i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        heddle_config c = HEDDLE_CONFIG_INIT;
        heddle_ctx *ctx;
        c.backend = r->backend;
        c.executor = r->executor;
        c.dispatch = r->dispatch;
        c.policy = r->policy;
        c.by_body = r->by_body;
        c.sync = r->sync;
        c.team_size = r->team_size;
        CHECK_MSG(heddle_ctx_open(&ctx, &c) == HEDDLE_EINVAL && !ctx, "row %zu: %s", i, heddle_error_text(NULL));
        CHECK_MSG(strstr(heddle_error_text(NULL), r->word), "row %zu: %s", i, heddle_error_text(NULL));
    }
}

/* Where there is no GPU, auto says that, too. */
static void test_no_gpu(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_device d = HEDDLE_DEVICE_INIT;
    heddle_ctx *ctx;
    CHECK(heddle_device_get(HEDDLE_CPU, 0, &d) == HEDDLE_ENODEV && strlen(heddle_error_text(NULL)) > 10);
    CHECK(heddle_device_get(HEDDLE_CPU, 0, NULL) == HEDDLE_EINVAL);
    if (heddle_backend_is_present(HEDDLE_CUDA)) {
        CHECK_OK(NULL, heddle_device_get(HEDDLE_AUTO, 0, &d));
        CHECK(d.name[0] && d.n_units && d.major >= 7 && d.free_bytes <= d.total_bytes && d.size == sizeof d);
        return;
    }
    CHECK(heddle_device_get(HEDDLE_CUDA, 0, &d) == HEDDLE_ENODEV && !d.name[0]);
    c.executor = HEDDLE_EXECUTOR_PERSISTENT;
    CHECK(heddle_ctx_open(&ctx, &c) == HEDDLE_EINVAL && strstr(heddle_error_text(NULL), "there is no GPU"));
}

static void test_machine(void)
{
    heddle_machine m;
    memset(&m, 0xff, sizeof m);
    heddle_machine_get(&m);
    CHECK(m.n_cores >= 1 && m.n_threads >= m.n_cores && m.n_threads < 100000);
    CHECK(m.has_hwloc == 0 || m.has_hwloc == 1);
    CHECK(m.cache_bytes[0] < 1u << 30 && (!m.cache_bytes[1] || m.cache_bytes[1] >= m.cache_bytes[0]));
}

static void test_memory(heddle_backend backend)
{
    static const size_t sizes[] = {1, 127, 128, 4096, (1u << 20) - 128, 1u << 20, (3u << 20) + 1};
    heddle_config c = HEDDLE_CONFIG_INIT;
    uint8_t *p[7], back[64];
    heddle_ctx *ctx;
    void *got;
    size_t i, k;
    c.backend = backend;
    ctx = open_with(&c);
    for (i = 0; i < 7; i++) {
        CHECK_OK(ctx, heddle_mem_new(ctx, sizes[i], &got));
        CHECK((uintptr_t)got % 128 == 0);
        p[i] = got;
        memset(p[i], (int)i + 1, sizes[i]);
    }
    for (i = 0; i < 7; i++)
        for (k = 0; k < sizes[i]; k += 61)
            CHECK(p[i][k] == i + 1);
    CHECK_OK(ctx, heddle_mem_write(ctx, p[3] + 100, "heddle", 6)); /* any address inside */
    CHECK_OK(ctx, heddle_mem_read(ctx, back, p[3] + 98, 10));
    CHECK(!memcmp(back, "\4\4heddle\4\4", 10));
    for (i = 0; i < 7; i++)
        heddle_mem_free(ctx, p[i]);
    heddle_ctx_close(ctx);
}

static uint64_t thread_ns(void)
{
    struct timespec t;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A context after the first does not look at the whole machine again: in this thread's own time, whatever else runs. */
static void test_open_again(void)
{
    enum { N = 20 };
    heddle_config c = HEDDLE_CONFIG_INIT;
    uint64_t begin, look_ns, open_ns;
    heddle_machine m;
    int i;
    c.backend = HEDDLE_CPU;
    c.n_workers = 1;
    heddle_ctx_close(open_with(&c));
    begin = thread_ns();
    for (i = 0; i < N; i++)
        heddle_machine_get(&m);
    look_ns = thread_ns() - begin;
    begin = thread_ns();
    for (i = 0; i < N; i++)
        heddle_ctx_close(open_with(&c));
    open_ns = thread_ns() - begin;
    printf("looking at the machine %llu us, opening %llu us\n", (unsigned long long)look_ns / N / 1000u,
           (unsigned long long)open_ns / N / 1000u);
    CHECK(!m.has_hwloc || 2 * open_ns < look_ns);
}

int main(void)
{
    heddle_env_info e;
    uint32_t i;
    for (i = 0; heddle_env_get(i, &e); i++)
        CHECK(unsetenv(e.name) == 0);
    test_defaults();
    test_old_config();
    test_old_structs();
    test_given();
    test_teams();
    test_refusals();
    test_ring_refusals();
    test_no_gpu();
    test_machine();
    test_memory(HEDDLE_SERIAL);
    test_memory(HEDDLE_CPU);
    test_open_again();
    return 0;
}
