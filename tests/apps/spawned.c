/* SPDX-License-Identifier: MIT */
/* spawned.c - bfs, quad, queens and uts, which spawn tasks. Counts and bits are those of a serial search: on the serial
 * backend with one thread and with many; on threads with every schedule and policy, with room for all tasks or for few,
 * with tasks of one node or of many, run after run. The trees T1 to T5 have their authors' published counts, boards the
 * known ones. Under a sanitizer a part of the small cases are run. Also what prepare must refuse.
 *
 *     spawned [--cuda]    --cuda: every schedule and policy on a GPU instead */
#include "app.h"
#include "check.h"
#include "schedules.h"

#include <string.h>

/* An app, its size, and options as "key=value key=value". */
typedef struct subject {
    const char *app;
    uint64_t n;
    const char *opts;
} subject;

static const subject small[] = {
    {"bfs", 1, "chunk=1"},
    {"bfs", 300, "chunk=1"},
    {"bfs", 2048, "source=7"},
    {"bfs", 2048, "chunk=1 cost=1 seed=2"},
    {"bfs", 900, "chunk=3 list=20 hops=1"},
    {"bfs", 5000, "chunk=7 hops=0 cost=1"},
    {"queens", 1, "cutoff=0"},
    {"queens", 2, "cutoff=17"},
    {"queens", 4, "cutoff=1"},
    {"queens", 6, "cutoff=5"},
    {"queens", 7, "cutoff=7"},
    {"queens", 8, "cutoff=0"},
    {"queens", 9, "cutoff=3"},
    {"quad", 1, "f=root eps=1e-6 points=4"},
    {"quad", 7, "f=pole eps=1e-7 points=36"},
    {"quad", 10, "f=kink eps=1e-5 points=128 cutoff=13"},
    {"quad", 3, "f=step points=300"},
    {"quad", 2, "f=peak eps=1e-4 points=8"},
    {"quad", 1, "f=peak cutoff=0"},
    {"uts", 0, "depth=4 seed=1 chunk=1"},
    {"uts", 0, "depth=5 seed=5 chunk=3"},
    {"uts", 0, "depth=5 b0=60 seed=3 depth=2 chunk=1"},
    {"uts", 0, "tree=T5 depth=9 chunk=16"},
    {"uts", 0, "tree=T2 depth=2 b0=3 seed=7 chunk=17"},
    {"uts", 0, "tree=T3 b0=500 q=0.1 chunk=2"},
    {"uts", 0, "tree=T3 b0=1999 q=0.05 m=7 chunk=64"},
    {"uts", 0, "tree=T4 depth=6 b0=3 chunk=5"},
    {"uts", 0, "tree=T3 b0=0"},
    {"uts", 0, "type=binomial b0=70 q=0 m=0"},
    {"slu", 500, "how=spawn"},
    {"slu", 33, "how=spawn"},
};
static const subject published[] = {
    {"uts", 0, "tree=T1"}, {"uts", 0, "tree=T2"},          {"uts", 0, "tree=T3 chunk=16"},
    {"uts", 0, "tree=T4"}, {"uts", 0, "tree=T5 chunk=30"}, {"uts", 0, "tree=T1 chunk=1"},
    {"queens", 11, ""},    {"queens", 12, "cutoff=12"}};

/* ---- a case ---------------------------------------------------------------------------------------- */

#define MOST_OPTS 8

/* Cuts `text`, which it writes to, into options. */
static size_t cut_options(char *text, app_pair *opts)
{
    size_t n = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        CHECK(n < MOST_OPTS && equals);
        *equals = 0;
        opts[n].key = word;
        opts[n++].value = equals + 1;
    }
    return n;
}

static app_case *prepare(const subject *s, char *error)
{
    char text[128];
    app_pair opts[MOST_OPTS];
    app_request q = {.n = {s->n, 0}, .opts = opts};
    CHECK((size_t)snprintf(text, sizeof text, "%s", s->opts) < sizeof text);
    q.n_opts = cut_options(text, opts);
    return app_find(s->app)->prepare(&q, error);
}

static app_case *open_case(const subject *s, heddle_ctx *ctx)
{
    char error[APP_ERROR];
    app_case *c = prepare(s, error);
    CHECK_MSG(c, "%s %s: %s", s->app, s->opts, error);
    CHECK_MSG(!c->scenario->build(c, ctx) && !c->app->reference(c), "%s %s: %s", s->app, s->opts, c->error);
    return c;
}

static void check_case(const subject *s, app_case *c, const char *what)
{
    CHECK_MSG(!c->app->read(c), "%s %s: %s", s->app, s->opts, c->error);
    CHECK_MSG(!c->app->check(c), "%s, n %llu, %s, %s: %s", s->app, (unsigned long long)s->n, s->opts, what, c->error);
}

static void run_case(const subject *s, heddle_ctx *ctx, uint32_t n_runs, const char *what)
{
    app_case *c = open_case(s, ctx);
    for (uint32_t run = 0; run < n_runs; run++) {
        CHECK_MSG(!run || !c->scenario->reset(c), "%s", c->error);
        CHECK_OK(ctx, heddle_graph_run(ctx, c->graph, c->record, c->record_bytes));
        check_case(s, c, what);
    }
    c->app->free(c);
}

/* Slow cases: emulated threads meet twenty times an interval of quad, and some times a relaxed node of bfs. */
static int is_long(const subject *s, uint32_t team_size)
{
    return (team_size > 1 && !strcmp(s->app, "quad") && s->n > 1) || (team_size > 3 && strstr(s->opts, "cost=1"));
}

static void run_small(const heddle_config *cfg, uint32_t n_runs, const char *what)
{
    static uint64_t seed = 34;
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, cfg));
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (!is_long(&small[i], cfg->team_size) && check_takes(&seed))
            run_case(&small[i], ctx, n_runs, what);
    heddle_ctx_close(ctx);
}

/* ---- backends ---------------------------------------------------------------------------------------- */

static void test_teams(void)
{
    static const uint32_t counts[] = {1, 3, 32};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        heddle_config cfg = HEDDLE_CONFIG_INIT;
        char what[32];
        cfg.backend = HEDDLE_SERIAL;
        cfg.team_size = counts[i];
        cfg.n_arena = 4096;
        snprintf(what, sizeof what, "%u threads", counts[i]);
        run_small(&cfg, 1, what);
    }
}

static void run_workers(heddle_backend b, heddle_schedule s, heddle_policy p, uint32_t n_workers, uint32_t n_arena)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    char what[96];
    cfg.backend = b;
    cfg.schedule = s;
    cfg.expert.policy = p;
    cfg.n_workers = n_workers;
    cfg.n_arena = n_arena;
    snprintf(what, sizeof what, "%s %s, policy %s, %u workers, arena %u", heddle_backend_name(b),
             heddle_schedule_name(s), heddle_policy_name(p), n_workers, n_arena);
    if (b == HEDDLE_CUDA)
        puts(what);
    run_small(&cfg, 2, what);
}

static void test_schedule(heddle_backend b, heddle_schedule s)
{
    for (int p = 0; p < (has_policies(s) ? HEDDLE_N_POLICIES : 1); p++) {
        if (p && !takes_policy(s, (heddle_policy)p))
            continue;
        if (b == HEDDLE_CUDA)
            run_workers(b, s, (heddle_policy)p, p % 3 ? 0 : 5, p % 2 ? 0 : 400000);
        else
            run_workers(b, s, (heddle_policy)p, 1 + (uint32_t)p % 4, p ? 2048 : 0);
    }
}

/* Schedule static needs all tasks before the run, so it is left out. */
static void test_schedules(heddle_backend b)
{
    for (size_t i = 0; i < N_WORKER_SCHEDULES; i++)
        if (worker_schedules[i] != HEDDLE_SCHEDULE_STATIC)
            test_schedule(b, worker_schedules[i]);
}

static void test_threads(void)
{
    test_schedules(HEDDLE_CPU);
    /* Few slots, but enough for seven workers that go depth first at once: quad splits 50 times, three slots each. */
    run_workers(HEDDLE_CPU, HEDDLE_SCHEDULE_DYNAMIC, HEDDLE_POLICY_DEFAULT, 7, 2048);
}

/* ---- known answers --------------------------------------------------------------------------------------- */

static void test_published(heddle_backend b)
{
    heddle_ctx *ctx;
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    cfg.backend = b;
    cfg.n_workers = b == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    for (size_t i = 0; i < (CHECK_IS_SLOW ? 1 : sizeof published / sizeof *published); i++)
        run_case(&published[i], ctx, 1, "as published");
    heddle_ctx_close(ctx);
}

typedef struct answers {
    char text[256];
    size_t n;
} answers;

static void take_u64(void *self, const char *key, uint64_t v)
{
    answers *a = self;
    a->n += (size_t)snprintf(a->text + a->n, sizeof a->text - a->n, "%s=%llu ", key, (unsigned long long)v);
}

static void take_f64(void *self, const char *key, double v)
{
    answers *a = self;
    a->n += (size_t)snprintf(a->text + a->n, sizeof a->text - a->n, "%s=%.6f ", key, v);
}

/* The answers as a user reads them, and by plain loops; a check without a run must fail. */
static void test_answer(const subject *s, heddle_ctx *ctx, const char *expected)
{
    answers a = {.n = 0};
    app_sink sink = {.self = &a, .u64 = take_u64, .f64 = take_f64};
    app_case *c = open_case(s, ctx);
    CHECK_MSG(!c->app->read(c) && c->app->check(c), "%s passes its check before it is run", s->app);
    CHECK_MSG(!c->scenario->tiles(c), "%s", c->error);
    check_case(s, c, "plain loops");
    CHECK(!c->scenario->reset(c) && !c->app->read(c) && c->app->check(c));
    CHECK_OK(ctx, heddle_graph_run(ctx, c->graph, c->record, c->record_bytes));
    check_case(s, c, "the answer");
    c->app->answer(c, &sink);
    CHECK_MSG(strstr(a.text, expected) == a.text, "%s: %s", s->app, a.text);
    c->app->free(c);
}

static void test_answers(void)
{
    static const subject step = {"quad", 2, "f=step"}, eight = {"queens", 8, ""}, t1 = {"uts", 0, ""};
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    cfg.backend = HEDDLE_CPU;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    test_answer(&step, ctx, "integral=0.333333 error=0.000000 intervals_total=");
    test_answer(&eight, ctx, "solutions_total=92 ");
    if (!CHECK_IS_SLOW)
        test_answer(&t1, ctx, "nodes_total=4130071 leaves_total=3305118 depth_max=10 ");
    heddle_ctx_close(ctx);
}

/* ---- refusals -------------------------------------------------------------------------------------------- */

static void refused(const char *app, uint64_t n, const char *opts, const char *word)
{
    const subject s = {app, n, opts};
    char error[APP_ERROR] = "";
    app_case *c = prepare(&s, error);
    CHECK_MSG(!c, "%s takes %s", app, opts);
    CHECK_MSG(strstr(error, word), "%s %s: \"%s\" does not say %s", app, opts, error, word);
}

static void test_refused(void)
{
    refused("queens", 18, "", "17 at most");
    refused("queens", 8, "cutoff=18", "cutoff");
    refused("quad", 1u << 21, "", "1048576 at most");
    refused("quad", 1, "f=sine", "root, pole, kink, step or peak");
    refused("quad", 1, "points=6", "multiple of 4");
    refused("quad", 1, "cutoff=51", "cutoff");
    refused("quad", 1, "eps=0", "eps");
    refused("uts", 5, "", "has no size");
    refused("uts", 0, "tree=T9", "T1, T2, T3");
    refused("uts", 0, "tree=T3 q=0.125", "no end");
    refused("uts", 0, "tree=T3 type=geometric", "depth");
    refused("uts", 0, "type=bushy", "geometric, binomial or hybrid");
    refused("uts", 0, "shape=round", "linear, cyclic or fixed");
    refused("uts", 0, "chunk=65", "chunk");
    refused("uts", 0, "chunk=0", "chunk");
    refused("uts", 0, "m=101", "option m");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            SKIP("no GPU here");
        test_schedules(HEDDLE_CUDA);
        test_published(HEDDLE_CUDA);
        return 0;
    }
    test_refused();
    test_teams();
    test_threads();
    test_published(HEDDLE_CPU);
    test_answers();
    return 0;
}
