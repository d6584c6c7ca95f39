/* SPDX-License-Identifier: MIT */
/* context.c - what heddle_ctx_open fills in, the machine it finds, memory of a context. */
#include "backend/schedule.h"
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
    CHECK(c.backend != HEDDLE_CPU ||
          (c.n_workers == m.n_cores && c.schedule == HEDDLE_SCHEDULE_DYNAMIC && !c.expert.policy && c.expert.n_ring &&
           c.expert.spin_us && c.expert.n_local && c.idle != HEDDLE_IDLE_DEFAULT));
    CHECK(!strcmp(heddle_error_text(ctx), ""));
    heddle_ctx_close(ctx);
}

/* A program compiled against an older, shorter struct: missing fields count as zero. */
static void test_old_config(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.size = offsetof(heddle_config, n_workers);
    c.backend = HEDDLE_CPU;
    c.n_workers = 99999; /* beyond the old end: not read */
    c.expert.policy = (heddle_policy)77;
    ctx = open_with(&c);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
    CHECK(got.backend == HEDDLE_CPU && got.n_workers > 0 && got.n_workers < 99999);
    heddle_ctx_close(ctx);
}

/* The same for output: no byte is written beyond the end that the caller knows. */
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
    d.place = 99; /* beyond the old end: not read */
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
    c.expert.policy = HEDDLE_POLICY_GRR; /* of rings */
    c.n_trace = 10;
    c.time_limit_ms = 12345;
    c.expert.n_ring = 5;
    c.expert.spin_us = 3;
    c.no_pin = 1;
    c.expert.n_local = 3;
    c.idle = HEDDLE_IDLE_POLITE;
    ctx = open_with(&c);
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
    CHECK(got.n_workers == 5 && got.schedule == HEDDLE_SCHEDULE_RINGS && got.expert.policy == HEDDLE_POLICY_GRR &&
          got.n_trace == 10 && got.time_limit_ms == 12345);
    CHECK(got.expert.n_ring == 8 && got.expert.spin_us == 3 && got.no_pin == 1); /* rings are a power of two */
    CHECK(got.expert.n_local == 3 && got.idle == HEDDLE_IDLE_POLITE);
    heddle_ctx_close(ctx);
}

/* Teams need the serial backend: auto chooses it. */
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

/* Options that the schedule or backend does not support are refused with a sentence that contains the word. */
#define REFUSED(word, ...)                                 \
    {                                                      \
        {.size = sizeof(heddle_config), __VA_ARGS__}, word \
    }
static const struct {
    heddle_config config;
    const char *word;
} refusals[] = {
    REFUSED("schedule 14 is unknown", .schedule = (heddle_schedule)14),
    REFUSED("policy 8 is unknown", .expert.policy = (heddle_policy)8),
    REFUSED("idle mode 3 is unknown", .idle = (heddle_idle)3),
    REFUSED("by_body is 3", .expert.by_body = 3),
    REFUSED("a reserved field", .expert.reserved = {0, 1}),
    REFUSED("schedule levels: backend cpu has no such schedule", .backend = HEDDLE_CPU,
            .schedule = HEDDLE_SCHEDULE_LEVELS),
    REFUSED("schedule graph+pdl: backend serial has no such", .backend = HEDDLE_SERIAL,
            .schedule = HEDDLE_SCHEDULE_GRAPH_PDL),
    REFUSED("schedule dynamic: backend serial has no such", .backend = HEDDLE_SERIAL,
            .schedule = HEDDLE_SCHEDULE_DYNAMIC),
    REFUSED("by_body: schedule auto of backend cpu has no use for it; none has", .backend = HEDDLE_CPU,
            .expert.by_body = 1),
    REFUSED("policy: schedule ticket of backend cpu has no use for it; these have: rings, iqs, scheduler",
            .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_TICKET, .expert.policy = HEDDLE_POLICY_LRR),
    REFUSED("policy: schedule static", .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_STATIC,
            .expert.policy = HEDDLE_POLICY_SHARE),
    REFUSED("policy: schedule central", .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_CENTRAL,
            .expert.policy = HEDDLE_POLICY_LF),
    REFUSED("policy: schedule dynamic", .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_DYNAMIC,
            .expert.policy = HEDDLE_POLICY_LF),
    REFUSED("n_local: schedule static of backend cpu has no use for it; these have: auto, dynamic, rings",
            .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_STATIC, .expert.n_local = 1),
    REFUSED("n_ring: schedule ticket", .backend = HEDDLE_CPU, .schedule = HEDDLE_SCHEDULE_TICKET, .expert.n_ring = 4),
    REFUSED("2 threads", .backend = HEDDLE_CPU, .team_size = 2),
};

static void test_refusals(void)
{
    size_t i;
    for (i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        heddle_ctx *ctx;
        CHECK_MSG(heddle_ctx_open(&ctx, &refusals[i].config) == HEDDLE_EINVAL && !ctx, "row %zu: %s", i,
                  heddle_error_text(NULL));
        CHECK_MSG(strstr(heddle_error_text(NULL), refusals[i].word), "row %zu: %s", i, heddle_error_text(NULL));
    }
}

/* Options of a GPU's schedules; the check needs no GPU. */
static void test_gpu_schedules(void)
{
    static const struct {
        heddle_config config;
        const char *word; /* NULL: accepted */
    } rows[] = {
        {{.schedule = HEDDLE_SCHEDULE_GRAPH, .expert.by_body = 2}, NULL},
        {{.schedule = HEDDLE_SCHEDULE_LEVELS_SYNC, .expert.by_body = 1}, NULL},
        {{.schedule = HEDDLE_SCHEDULE_AUTO, .expert.by_body = 1}, NULL},
        {{.schedule = HEDDLE_SCHEDULE_RINGS, .expert.n_local = 3, .expert.n_ring = 64}, NULL},
        {{.schedule = HEDDLE_SCHEDULE_DYNAMIC, .idle = HEDDLE_IDLE_POLITE}, NULL},
        {{.schedule = HEDDLE_SCHEDULE_TASKGRAPH, .expert.by_body = 2}, "by_body: schedule taskgraph"},
        {{.schedule = HEDDLE_SCHEDULE_STATIC, .expert.by_body = 1}, "by_body: schedule static"},
        {{.schedule = HEDDLE_SCHEDULE_DYNAMIC, .expert.n_ring = 4}, "n_ring: schedule dynamic of backend cuda"},
        {{.schedule = HEDDLE_SCHEDULE_TASKGRAPH, .idle = HEDDLE_IDLE_POLITE}, "idle: schedule taskgraph"},
        {{.schedule = HEDDLE_SCHEDULE_LEVELS, .expert.policy = HEDDLE_POLICY_LF}, "policy: schedule levels"},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        heddle_config c = rows[i].config;
        hd_error e;
        heddle_status s;
        c.backend = HEDDLE_CUDA;
        s = hd_schedule_settle(&c, 0, &e);
        CHECK_MSG(s == (rows[i].word ? HEDDLE_EINVAL : HEDDLE_OK), "row %zu", i);
        CHECK_MSG(!rows[i].word || strstr(e.text, rows[i].word), "row %zu: %s", i, e.text);
    }
    CHECK(heddle_schedule_has_workers(HEDDLE_SCHEDULE_STATIC) && !heddle_schedule_has_workers(HEDDLE_SCHEDULE_GRAPH));
    CHECK(!heddle_schedule_has_workers(HEDDLE_SCHEDULE_AUTO) && !heddle_schedule_has_workers((heddle_schedule)-1));
}

/* Without a GPU, auto also reports that. */
static void test_no_gpu(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_device d = HEDDLE_DEVICE_INIT;
    heddle_ctx *ctx;
    heddle_peer p;
    CHECK(heddle_device_get(HEDDLE_CPU, 0, &d) == HEDDLE_ENODEV && strlen(heddle_error_text(NULL)) > 10);
    CHECK(heddle_device_get(HEDDLE_CPU, 0, NULL) == HEDDLE_EINVAL);
    CHECK(heddle_device_get_peer(HEDDLE_CPU, 0, 0, &p) == HEDDLE_ENODEV && strstr(heddle_error_text(NULL), "reach"));
    CHECK(heddle_device_get_peer(HEDDLE_CPU, 0, 0, NULL) == HEDDLE_EINVAL);
    if (heddle_backend_is_present(HEDDLE_CUDA)) {
        CHECK_OK(NULL, heddle_device_get(HEDDLE_AUTO, 0, &d));
        CHECK(d.name[0] && d.n_units && d.major >= 7 && d.free_bytes <= d.total_bytes && d.size == sizeof d);
        CHECK_MSG(strlen(d.pci) == strlen("0000:17:00.0") && d.pci[4] == ':', "%s", d.pci);
        return;
    }
    CHECK(heddle_device_get(HEDDLE_CUDA, 0, &d) == HEDDLE_ENODEV && !d.name[0]);
    c.schedule = HEDDLE_SCHEDULE_GRAPH;
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

/* Later contexts do not inspect the whole machine again: measured in this thread's own time, whatever else runs. */
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
    test_gpu_schedules();
    test_no_gpu();
    test_machine();
    test_memory(HEDDLE_SERIAL);
    test_memory(HEDDLE_CPU);
    test_open_again();
    return 0;
}
