/* SPDX-License-Identifier: MIT */
/* siblings.c - random families leave the bytes of their serial order. Their children name ranges and earlier siblings,
 * and end through children and continuations of their own. On the serial backend and emulated threads, and on one to
 * three threads in every dispatch and policy, with large arenas and the smallest possible ones.
 *
 *     siblings [--cuda]     the same on a GPU
 *
 * HEDDLE_SPAWBROOD_FAMILIES: the least number of graphs of families. */
#include "check.h"
#include "schedules.h"
#include "heddle.h"
#include "spawn/brood.h"

#include <string.h>

#define N_RUNS 3u
#define N_GRAPHS 100u
#define N_SURE 400u /* so many contain every kind of child */

typedef struct tally {
    uint64_t n_graphs, n_runs, n_children, n_named, n_joined, of[HEDDLE_N_SCHEDULES], of_kind[KIN_KINDS];
} tally;

/* ---- on a context ------------------------------------------------------------------------------------------------ */

typedef struct subject {
    heddle_ctx *ctx;
    heddle_graph *graph;
    kin_params params;
} subject;

static void *put(heddle_ctx *ctx, const void *from, size_t n_bytes)
{
    void *p;
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes + 4, &p));
    CHECK_OK(ctx, heddle_mem_write(ctx, p, from, n_bytes));
    return p;
}

static void drop(heddle_ctx *ctx, const void *p) { heddle_mem_free(ctx, (void *)(uintptr_t)p); }

static void subject_open(subject *x, heddle_ctx *ctx, const brood *b)
{
    static const uint64_t zeros[BROOD_FAMILIES * HEDDLE_MAX_CHILDREN * KIN_PARTS];
    uint32_t f;
    x->ctx = ctx;
    x->params.bytes = put(ctx, b->bytes, sizeof b->bytes);
    x->params.family = put(ctx, b->family, sizeof b->family);
    x->params.child = put(ctx, b->child, b->n_all * sizeof b->child[0]);
    x->params.before = put(ctx, b->before, b->n_before * sizeof b->before[0]);
    x->params.part = put(ctx, zeros, sizeof zeros);
    x->params.ran = put(ctx, zeros, b->n_all * 4);
    x->params.n_joined = put(ctx, zeros, BROOD_FAMILIES * 4);
    x->params.wrong = put(ctx, zeros, 4);
    x->params.run = 0;
    CHECK_OK(ctx, heddle_graph_new(ctx, &kin, &x->graph));
    for (f = 0; f < b->n_families; f++) {
        const kin_args args = {f, 0};
        const void *key = (const void *)(uintptr_t)(64 + f);
        CHECK_OK(ctx,
                 heddle_graph_add(x->graph, kin_parent, &args, sizeof args, HEDDLE_RANGES(HEDDLE_OUT(key, 1)), NULL));
        CHECK_OK(ctx,
                 heddle_graph_add(x->graph, kin_after, &args, sizeof args, HEDDLE_RANGES(HEDDLE_IN(key, 1)), NULL));
    }
}

static void subject_close(subject *x)
{
    heddle_graph_free(x->graph);
    drop(x->ctx, x->params.bytes);
    drop(x->ctx, x->params.family);
    drop(x->ctx, x->params.child);
    drop(x->ctx, x->params.before);
    drop(x->ctx, x->params.part);
    drop(x->ctx, x->params.ran);
    drop(x->ctx, x->params.n_joined);
    drop(x->ctx, x->params.wrong);
}

static void subject_check(const subject *x, const brood *b)
{
    static uint8_t bytes[sizeof b->bytes];
    static uint32_t ran[BROOD_FAMILIES * HEDDLE_MAX_CHILDREN];
    uint32_t wrong, i;
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, &wrong, x->params.wrong, 4));
    CHECK_MSG(!wrong, "child %u met something wrong in run %u", wrong - 1, x->params.run);
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, ran, x->params.ran, b->n_all * 4));
    for (i = 0; i < b->n_all; i++)
        CHECK_MSG(ran[i] == x->params.run, "child %u ran last in run %u, not %u", i, ran[i], x->params.run);
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, bytes, x->params.bytes, sizeof bytes));
    for (i = 0; i < sizeof bytes; i++)
        CHECK_MSG(bytes[i] == b->bytes[i], "byte %u of family %u is not what the serial order gives", i % BROOD_BYTES,
                  i / BROOD_BYTES);
}

static void count(tally *sum, const brood *b)
{
    uint32_t i;
    sum->n_graphs++;
    sum->n_children += b->n_all;
    for (i = 0; i < b->n_all; i++) {
        sum->n_named += b->child[i].n_after;
        sum->of_kind[b->child[i].kind]++;
    }
    for (i = 0; i < b->n_families; i++)
        sum->n_joined += b->family[i].joins;
}

/* The smallest arena holds one family: named children keep their slots until their parent has ended. */
static void one_graph(heddle_ctx *ctx, const heddle_config *c, uint64_t *seed, tally *sum)
{
    brood *b = brood_new(c->n_arena == 1 ? 1 : BROOD_FAMILIES, seed);
    subject x;
    subject_open(&x, ctx, b);
    while (x.params.run < N_RUNS) {
        x.params.run++;
        CHECK_OK(ctx, heddle_graph_run(ctx, x.graph, &x.params, sizeof x.params));
        brood_run(b);
        subject_check(&x, b);
        sum->n_runs++;
        sum->of[c->schedule]++;
    }
    count(sum, b);
    subject_close(&x);
    free(b);
}

/* ---- all ways ---------------------------------------------------------------------------------------------------- */

static heddle_schedule random_schedule(uint64_t *seed)
{
    heddle_schedule s;
    do
        s = worker_schedules[check_below(seed, N_WORKER_SCHEDULES)];
    while (s == HEDDLE_SCHEDULE_STATIC); /* static refuses spawners */
    return s;
}

static void random_config(heddle_config *c, int cuda, uint64_t *seed)
{
    static const uint32_t rings[] = {0, 1, 2, 16}, arenas[] = {0, 1, 1, 1500};
    c->backend = cuda ? HEDDLE_CUDA : check_below(seed, 4) ? HEDDLE_CPU : HEDDLE_SERIAL;
    c->time_limit_ms = 30000;
    c->n_arena = arenas[check_below(seed, 4)];
    if (c->backend == HEDDLE_SERIAL) {
        c->team_size = check_below(seed, 2) ? 1 : 3;
        return;
    }
    c->n_workers = 1 + (uint32_t)check_below(seed, cuda ? 200 : 3);
    c->schedule = random_schedule(seed);
    if (c->schedule == HEDDLE_SCHEDULE_RINGS || c->schedule == HEDDLE_SCHEDULE_IQS)
        c->expert.policy = (heddle_policy)(1 + check_below(seed, HEDDLE_N_POLICIES - 1));
    if (!cuda && (c->schedule == HEDDLE_SCHEDULE_RINGS || c->schedule == HEDDLE_SCHEDULE_SCHEDULER))
        c->expert.n_ring = rings[check_below(seed, 4)];
    c->n_trace = check_below(seed, 3) ? 0 : 5000;
    c->no_pin = 1;
}

static void batch(int cuda, uint64_t *seed, tally *sum)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint64_t begin = *seed;
    uint32_t i;
    heddle_status s;
    random_config(&c, cuda, seed);
    s = heddle_ctx_open(&ctx, &c);
    if (cuda && s == HEDDLE_ENODEV)
        SKIP("%s", heddle_error_text(NULL));
    CHECK_OK(NULL, s);
    if (getenv("HEDDLE_SPAWN_SAY"))
        printf("batch %llu: %s, %u workers, %u threads, schedule %s, policy %u, arena %u\n", (unsigned long long)begin,
               heddle_backend_name(c.backend), c.n_workers, c.team_size, heddle_schedule_name(c.schedule),
               c.expert.policy, c.n_arena);
    for (i = 0; i < 5; i++)
        one_graph(ctx, &c, seed, sum);
    heddle_ctx_close(ctx);
}

static void report(const tally *t)
{
    uint32_t i;
    printf(
        "%llu graphs, %llu runs, %llu children, %llu handles, %llu families joined; leaves, forks, twice, deep: %llu "
        "%llu %llu %llu; runs:",
        (unsigned long long)t->n_graphs, (unsigned long long)t->n_runs, (unsigned long long)t->n_children,
        (unsigned long long)t->n_named, (unsigned long long)t->n_joined, (unsigned long long)t->of_kind[KIN_LEAF],
        (unsigned long long)t->of_kind[KIN_FORK], (unsigned long long)t->of_kind[KIN_TWICE],
        (unsigned long long)t->of_kind[KIN_DEEP]);
    for (i = 0; i < HEDDLE_N_SCHEDULES; i++)
        if (t->of[i])
            printf(" %s %llu", i ? heddle_schedule_name((heddle_schedule)i) : "serial", (unsigned long long)t->of[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *count_text = getenv("HEDDLE_SPAWBROOD_FAMILIES");
    uint64_t seed = check_seed(20260206), n = count_text ? strtoull(count_text, NULL, 0) : N_GRAPHS;
    int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    tally sum = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (sum.n_graphs < n)
        batch(cuda, &seed, &sum);
    report(&sum);
    CHECK(n < N_SURE || (sum.n_named && sum.n_joined && sum.of_kind[KIN_TWICE] && sum.of_kind[KIN_DEEP]));
    return 0;
}
