/* SPDX-License-Identifier: MIT */
/* block.c - the emulated block: bodies on 1, 3 and 8 threads with real barriers. Reductions give the same bits for all
 * thread counts; shared memory is as large as the graph set it; a thread that misses a barrier is reported with the
 * body's name. Under ThreadSanitizer a race between threads is found, in a process of its own, which must fail. */
#include "check.h"
#include "heddle.h"
#include "heddle/task.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_VALUES 1000u
#define N_OUT 16u

typedef struct block_params {
    const double *x;
    const int64_t *k;
    double *f;  /* N_OUT */
    int64_t *i; /* N_OUT */
    uint32_t *turn;
} block_params;
typedef struct block_args {
    uint32_t n; /* values, or bytes */
} block_args;

#define BLOCK_BODIES(X) \
    X(block_reduce, 0)  \
    X(block_shared, 64) \
    X(block_prefix, 8 * 64) X(block_early, 0) X(block_uneven, 0) X(block_race, 0) X(block_sum, 0) X(block_fails, 0)
HEDDLE_ENUM(block, BLOCK_BODIES)
HEDDLE_DECLARE(block)

/* Each thread must have the result; thread 0 stores it, the others compare theirs with it. */
HD_FN void give(const heddle_thread *thread, double *out, double mine)
{
    if (thread->index == 0)
        *out = mine;
    heddle_team_barrier(thread);
    if (memcmp(out, &mine, sizeof mine))
        heddle_task_fail(thread, 500 + thread->index);
    heddle_team_barrier(thread);
}

HD_FN double reduce(const heddle_thread *thread, const double *x, uint32_t n, heddle_op op)
{
    HEDDLE_EACH_PARTIAL (v) {
        double s = op == HEDDLE_SUM ? 0 : x[0];
        for (uint32_t i = (uint32_t)v; i < n; i += HEDDLE_N_PARTIALS)
            s = op == HEDDLE_SUM ? s + x[i] : op == HEDDLE_MIN ? (x[i] < s ? x[i] : s) : (x[i] > s ? x[i] : s);
        heddle_team_partial_f64(thread)[v] = s;
    }
    return heddle_team_reduce_f64(thread, op);
}

HEDDLE_BODY(block_reduce, block_params, params, block_args, t)
{
    int64_t sum, most;
    give(thread, &params->f[0], reduce(thread, params->x, t->n, HEDDLE_SUM));
    give(thread, &params->f[1], reduce(thread, params->x, t->n, HEDDLE_MIN));
    give(thread, &params->f[2], reduce(thread, params->x, t->n, HEDDLE_MAX));
    HEDDLE_EACH_PARTIAL (v) {
        int64_t s = 0;
        for (uint32_t i = (uint32_t)v; i < t->n; i += HEDDLE_N_PARTIALS)
            s += params->k[i];
        heddle_team_partial_i64(thread)[v] = s;
    }
    sum = heddle_team_reduce_i64(thread, HEDDLE_SUM);
    HEDDLE_EACH_PARTIAL (v) {
        heddle_team_partial_i64(thread)[v] = params->k[v];
    }
    most = heddle_team_reduce_i64(thread, HEDDLE_MAX);
    if (thread->index == 0) {
        params->i[0] = sum;
        params->i[1] = most;
    }
}

/* All n bytes of the arena exist, are aligned, and are apart from the memory of reductions. */
HEDDLE_BODY(block_shared, block_params, params, block_args, t)
{
    uint8_t *p = (uint8_t *)heddle_team_shared(thread);
    double one;
    if ((uintptr_t)p % 128)
        heddle_task_fail(thread, 1);
    HEDDLE_EACH (i, t->n) {
        p[i] = (uint8_t)(i * 7);
    }
    one = reduce(thread, params->x, 100, HEDDLE_SUM); /* has barriers, and must not touch p */
    HEDDLE_EACH (i, t->n) {
        uint32_t k = t->n - 1 - (uint32_t)i;
        if (p[k] != (uint8_t)(k * 7))
            heddle_task_fail(thread, 2);
    }
    if (thread->index == 0) {
        params->f[3] = one;
        params->i[2] = t->n;
    }
}

/* Prefix sums of 64 numbers in shared memory in log steps, each with a barrier between reads and writes. */
HEDDLE_BODY(block_prefix, block_params, params, block_args, t)
{
    int64_t *p = (int64_t *)heddle_team_shared(thread);
    int64_t mine[64]; /* this thread's, at most all 64 */
    HEDDLE_EACH (i, 64) {
        p[i] = params->k[i] + t->n;
    }
    heddle_team_barrier(thread);
    for (int step = 1; step < 64; step *= 2) {
        HEDDLE_EACH (i, 64) {
            mine[i] = i >= step ? p[i - step] : 0;
        }
        heddle_team_barrier(thread);
        HEDDLE_EACH (i, 64) {
            p[i] += mine[i];
        }
        heddle_team_barrier(thread);
    }
    HEDDLE_EACH (i, N_OUT) {
        params->i[i] = p[i * 4 + 3];
    }
}

/* Wrong on purpose: the last thread leaves before the barrier. */
HEDDLE_BODY(block_early, block_params, params, block_args, t)
{
    if (thread->index + 1 == thread->team_size && thread->team_size > 1)
        return;
    heddle_team_barrier(thread);
}

/* Wrong on purpose: thread 0 meets more barriers than the others. */
HEDDLE_BODY(block_uneven, block_params, params, block_args, t)
{
    heddle_team_barrier(thread);
    if (thread->index == 0)
        heddle_team_barrier(thread);
}

/* Wrong on purpose: the barrier between writing and reading is missing. */
HEDDLE_BODY(block_race, block_params, params, block_args, t)
{
    params->i[thread->index % N_OUT] = (int64_t)t->n;
    params->f[thread->index % N_OUT] = (double)params->i[(thread->index + 1) % thread->team_size % N_OUT];
}

HEDDLE_BODY(block_sum, block_params, params, block_args, t)
{
    double s = reduce(thread, params->x, t->n, HEDDLE_SUM);
    if (thread->index == 0)
        params->f[4] = s;
}

HEDDLE_BODY(block_fails, block_params, params, block_args, t)
{
    heddle_team_barrier(thread);
    if (thread->index + 1 == thread->team_size)
        heddle_task_fail(thread, t->n);
}
HEDDLE_TABLE(block, block_params, BLOCK_BODIES)

static const uint32_t thread_counts[] = {1, 3, 8, 100, 130};
#define N_COUNTS (sizeof thread_counts / sizeof thread_counts[0])

typedef struct rig {
    heddle_ctx *ctx;
    double x[N_VALUES], f[N_OUT];
    int64_t k[N_VALUES], i[N_OUT];
    uint32_t turn;
    block_params params;
} rig;

static void rig_open(rig *r, uint32_t team_size)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    uint64_t seed = 5;
    uint32_t i;
    memset(r, 0, sizeof *r);
    c.backend = HEDDLE_SERIAL;
    c.team_size = team_size;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    for (i = 0; i < N_VALUES; i++) { /* magnitudes so different that the order of additions shows */
        r->x[i] = (double)(int64_t)check_random(&seed) * (i % 3 ? 1e-9 : 1e9);
        r->k[i] = (int64_t)check_random(&seed) >> 12;
    }
    r->params = (block_params){r->x, r->k, r->f, r->i, &r->turn};
}

/* Runs one task; shared: its body's bytes in this graph, 0 = as in the table. */
static heddle_status run_one(rig *r, uint32_t body, uint32_t n, uint32_t shared)
{
    block_args a = {n};
    heddle_status s;
    heddle_graph *g;
    CHECK_OK(r->ctx, heddle_graph_new(r->ctx, &block, &g));
    if (shared)
        CHECK_OK(r->ctx, heddle_graph_set_shared_bytes(g, body, shared));
    CHECK_OK(r->ctx, heddle_graph_add(g, body, &a, sizeof a, NULL, 0, NULL));
    s = heddle_graph_run(r->ctx, g, &r->params, sizeof r->params);
    heddle_graph_free(g);
    return s;
}

/* The same bits for every number of threads; sizes are multiples of nothing. */
static void test_reductions(void)
{
    static const uint32_t sizes[] = {128, 129, 1000, 777};
    static rig r, first;
    size_t s, c;
    for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (c = 0; c < N_COUNTS; c++) {
            rig_open(&r, thread_counts[c]);
            CHECK_OK(r.ctx, run_one(&r, block_reduce, sizes[s], 0));
            CHECK_OK(r.ctx, run_one(&r, block_sum, sizes[s], 0));
            CHECK(r.f[4] == r.f[0] && r.f[1] <= r.f[2] && r.f[0] != 0);
            if (c == 0)
                first = r;
            CHECK_MSG(!memcmp(r.f, first.f, sizeof r.f) && !memcmp(r.i, first.i, sizeof r.i), "%u values, %u threads",
                      sizes[s], thread_counts[c]);
            heddle_ctx_close(r.ctx);
        }
}

static void test_results(void)
{
    static rig r;
    double least, most;
    int64_t sum = 0, big, run = 0;
    uint32_t i;
    rig_open(&r, 3);
    CHECK_OK(r.ctx, run_one(&r, block_reduce, N_VALUES, 0));
    least = most = r.x[0];
    big = r.k[0];
    for (i = 0; i < N_VALUES; i++) {
        least = r.x[i] < least ? r.x[i] : least;
        most = r.x[i] > most ? r.x[i] : most;
        sum += r.k[i];
        big = i < HEDDLE_N_PARTIALS && r.k[i] > big ? r.k[i] : big;
    }
    CHECK(r.f[1] == least && r.f[2] == most && r.i[0] == sum && r.i[1] == big);
    CHECK_OK(r.ctx, run_one(&r, block_prefix, 5, 0));
    for (i = 0; i < 64; i++) {
        run += r.k[i] + 5;
        CHECK(i % 4 != 3 || r.i[i / 4] == run);
    }
    heddle_ctx_close(r.ctx);
}

/* Shared bytes as in the table, as set for the graph, and none. (AddressSanitizer finds writes beyond them.) */
static void test_shared(void)
{
    static const uint32_t sizes[] = {64, 1, 1000, 100001, 1u << 21};
    static rig r;
    size_t s, c;
    for (c = 0; c < N_COUNTS; c++) {
        rig_open(&r, thread_counts[c]);
        for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            CHECK_OK(r.ctx, run_one(&r, block_shared, sizes[s], s ? sizes[s] : 0));
            CHECK(r.i[2] == sizes[s]);
        }
        heddle_ctx_close(r.ctx);
    }
}

static void test_missed_barrier(uint32_t body, const char *name, uint32_t team_size)
{
    static rig r;
    const char *text;
    heddle_status s;
    rig_open(&r, team_size);
    s = run_one(&r, body, 1, 0);
    text = heddle_error_text(r.ctx);
    CHECK_MSG(s == HEDDLE_EBODY, "%s on %u threads: %s", name, team_size, heddle_status_text(s));
    CHECK_MSG(strstr(text, name) && strstr(text, "thread") && strstr(text, "barrier"), "%s", text);
    CHECK_OK(r.ctx, run_one(&r, block_reduce, 100, 0)); /* the context stays usable */
    heddle_ctx_close(r.ctx);
}

static void test_failing_thread(void)
{
    static rig r;
    size_t c;
    for (c = 0; c < N_COUNTS; c++) {
        rig_open(&r, thread_counts[c]);
        CHECK(run_one(&r, block_fails, 321, 0) == HEDDLE_EBODY);
        CHECK_MSG(strstr(heddle_error_text(r.ctx), "block_fails") && strstr(heddle_error_text(r.ctx), "321"), "%s",
                  heddle_error_text(r.ctx));
        heddle_ctx_close(r.ctx);
    }
}

#if defined(HEDDLE_TSAN)
/* The child must end with ThreadSanitizer's exit status. */
static void test_race(void)
{
    static rig r;
    int status, i;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        CHECK(freopen("/dev/null", "w", stderr));
        rig_open(&r, 8);
        for (i = 0; i < 20; i++)
            (void)run_one(&r, block_race, 1, 0);
        heddle_ctx_close(r.ctx);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 66, "the race between threads was not found (%#x)", status);
}
#else
static void test_race(void) { printf("not built with ThreadSanitizer: races between threads are not looked for\n"); }
#endif

int main(void)
{
    uint32_t n;
    test_race(); /* first: a process with threads must not fork */
    test_reductions();
    test_results();
    test_shared();
    for (n = 2; n <= 8; n += 3) {
        test_missed_barrier(block_early, "block_early", n);
        test_missed_barrier(block_uneven, "block_uneven", n);
    }
    test_failing_thread();
    return 0;
}
