/* SPDX-License-Identifier: MIT */
/* jobs.c - every scenario APP/jobs on several fleets, with every map, and with pools from just enough upwards: all that it writes and finds
 * is, byte for byte, what one thread gives, and passes the app's check. Also that steps are replayed, how matmul is cut, and what is refused.
 *
 *     jobs [--cuda]    --cuda: on fleets with GPUs instead. HEDDLE_ROUNDS: pools of each subject, each twice the one before (2) */
#include "apps/looped.h"

#if defined(HEDDLE_TSAN) || defined(HEDDLE_ASAN)
#define EACH 5 /* subject that is run */
#else
#define EACH 1
#endif

typedef struct place {
    const char *devices;
    int is_small; /* its pools are as small as the case allows */
} place;
static const place places[] = {{"3*virtual:", 0}, {"3*virtual:", 1}, {"virtual: virtual:speed=0.5,peers=0 cpu:1", 1}};
static const place gpu_places[] = {{"cuda:0", 0}, {"4*cuda:0/4", 1}, {"cuda:*", 0}};

/* Twice, with a reset between. 0: it went through; else what it needs of a pool, as the sentence says. */
static uint64_t check_same(const subject *s, const char *devices, uint64_t pool_bytes, const bytes *want)
{
    app_case *c = looped_case(s, "jobs", devices, pool_bytes);
    uint64_t need = 0;
    if (c->scenario->build(c, NULL)) {
        const char *said = strstr(c->error, "needs ");
        CHECK_MSG(said, "subject %d, %s on %s: %s", (int)(s - subjects), s->app, devices, c->error);
        need = strtoull(said + strlen("needs "), NULL, 10);
    }
    for (int turn = 0; turn < 2 && !need; turn++) {
        bytes got;
        CHECK(!turn || !c->scenario->reset(c));
        got = looped_run(c, devices);
        CHECK_MSG(got.n == want->n && !memcmp(got.at, want->at, got.n),
                  "subject %d, %s on %s, pools of %llu: other bytes than serial", (int)(s - subjects), s->app, devices,
                  (unsigned long long)pool_bytes);
        free(got.at);
    }
    c->app->free(c);
    return need;
}

/* The least pool that is not refused, by what refusals say. How matmul is cut, and so what it needs, depends on the pool. */
static uint64_t check_least(const subject *s, const char *devices, const bytes *want)
{
    uint64_t pool_bytes = 1000, need = check_same(s, devices, pool_bytes, want);
    for (int tries = 0; need; tries++) {
        CHECK_MSG(need > pool_bytes && tries < 10, "subject %d, %s on %s: %llu bytes are not enough, but %llu",
                  (int)(s - subjects), s->app, devices, (unsigned long long)pool_bytes, (unsigned long long)need);
        pool_bytes = (need + 255u) / 256u * 256u;
        need = check_same(s, devices, pool_bytes, want);
    }
    return pool_bytes;
}

static void check_pools(const subject *s, const char *devices, const bytes *want)
{
    const char *rounds = getenv("HEDDLE_ROUNDS");
    const int n = rounds ? atoi(rounds) : 2;
    uint64_t pool_bytes = check_least(s, devices, want);
    for (int i = 1; i < n; i++) {
        pool_bytes *= 2;
        CHECK_MSG(!check_same(s, devices, pool_bytes, want), "subject %d, %s on %s: more is not enough: %llu bytes",
                  (int)(s - subjects), s->app, devices, (unsigned long long)pool_bytes);
    }
}

static void check_place(const subject *s, const place *p, heddle_map map, const bytes *want)
{
    CHECK(!setenv("HEDDLE_MAP", heddle_map_name(map), 1));
    if (p->is_small)
        check_pools(s, p->devices, want);
    else
        CHECK(!check_same(s, p->devices, 0, want));
}

static void check_subject(const subject *s, const place *list, size_t n)
{
    bytes want = looped_serial(s, "jobs");
    CHECK(!check_same(s, "cpu:2", 0, &want)); /* without devices for jobs no map counts */
    for (int map = 0; map < HEDDLE_N_MAPS; map++)
        for (size_t i = 0; i < n; i++)
            check_place(s, &list[i], (heddle_map)map, &want);
    CHECK(!unsetenv("HEDDLE_MAP"));
    CHECK(!setenv("HEDDLE_SAFE", "1", 1));
    CHECK(!check_same(s, list[1].devices, 0, &want));
    CHECK(!unsetenv("HEDDLE_SAFE"));
    free(want.at);
}

/* Most pairs of steps are replays; the last step has no pair. */
static void test_steps(void)
{
    const subject s = {"hotspot", {96, 80}, {0, 0}, {{"steps", "41"}}, 1, NULL};
    heddle_sequence_stats got = HEDDLE_SEQUENCE_STATS_INIT;
    bytes want = looped_serial(&s, "jobs");
    app_case *c;
    CHECK(!check_same(&s, "2*virtual:", 0, &want));
    free(want.at);
    c = looped_prepare(&s, "jobs", "2*virtual:", 0);
    free(looped_run(c, "2*virtual:").at);
    CHECK(heddle_sequence_get_stats(c->looping->sequence, &got) == HEDDLE_OK);
    CHECK_MSG(got.n_runs == 20 && got.n_by_list + got.n_by_record > 10, "%d runs, %d by list, %d by record",
              (int)got.n_runs, (int)got.n_by_list, (int)got.n_by_record);
    c->app->free(c);
}

/* The first temperatures and the power come from the host once; of two arrays that change places, only the result goes home. */
static void check_home(const char *steps)
{
    const subject s = {"hotspot", {96, 80}, {0, 0}, {{"steps", steps}}, 1, NULL};
    static const char devices[] = "3*virtual:";
    const uint64_t array_bytes = 96 * 80 * sizeof(float);
    uint64_t in = 0, out = 0;
    app_case *c = looped_prepare(&s, "jobs", devices, 0);
    free(looped_run(c, devices).at);
    for (uint32_t i = 0; i < 3; i++) {
        heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
        CHECK(heddle_multi_get_device(c->looping->kinds[0], i, &d) == HEDDLE_OK);
        in += d.bytes_in;
        out += d.bytes_out;
    }
    CHECK_MSG(in == 2 * array_bytes && out == array_bytes, "%s steps: %llu bytes in, %llu home; an array has %llu",
              steps, (unsigned long long)in, (unsigned long long)out, (unsigned long long)array_bytes);
    c->app->free(c);
}

static void test_home(void)
{
    check_home("1");
    check_home("6");
    check_home("7");
}

/* ---- matmul ---- */

/* A grid of blocks that fit, and as many jobs as there are panels. */
static void test_grid(void)
{
    const subject s = {"matmul", {300, 260}, {16, 16}, {{"k", "200"}}, 1, NULL};
    const uint64_t pool_bytes = 100000;
    app_case *c = looped_prepare(&s, "jobs", "virtual:", pool_bytes);
    const app_loop_form *f = &c->looping->form;
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    const uint64_t blocks = (uint64_t)f->n_tasks * f->n_tasks_2;
    CHECK_MSG(blocks >= 4 && blocks <= 8, "%u x %u blocks", f->n_tasks, f->n_tasks_2);
    CHECK_MSG(f->n_runs > 1 && f->n_runs == c->looping->n_kinds, "%d panels", (int)f->n_runs);
    free(looped_run(c, "virtual:").at);
    CHECK(heddle_multi_get_device(c->looping->kinds[0], 0, &d) == HEDDLE_OK);
    CHECK_MSG(d.pool_bytes == pool_bytes && d.used_bytes <= pool_bytes && d.n_left > 0, "%llu of %llu bytes, %llu left",
              (unsigned long long)d.used_bytes, (unsigned long long)d.pool_bytes, (unsigned long long)d.n_left);
    c->app->free(c);
}

/* With a pool of a sixteenth of the data, hundreds of slices wait, and a block of C has its panels one after the other: it goes home once. Only
 * the first ones may have been given before the next jobs were started. */
static void test_traffic(void)
{
    const subject s = {"matmul", {512, 512}, {16, 16}, {{"k", "512"}}, 1, NULL};
    static const char slow[] = "virtual:latency=1e-3"; /* a slice takes longer than to start all jobs */
    const uint64_t matrix = 512 * 512 * 4;
    app_case *c = looped_prepare(&s, "jobs", slow, 3 * matrix / 16);
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    const uint64_t grid = (uint64_t)c->looping->form.n_tasks + c->looping->form.n_tasks_2;
    free(looped_run(c, slow).at);
    CHECK(heddle_multi_get_device(c->looping->kinds[0], 0, &d) == HEDDLE_OK);
    CHECK_MSG(d.bytes_out < 3 * matrix && d.bytes_in < (grid + 3) * matrix,
              "%llu bytes home, %llu in; of a matrix %llu, grid %llu", (unsigned long long)d.bytes_out,
              (unsigned long long)d.bytes_in, (unsigned long long)matrix, (unsigned long long)grid);
    c->app->free(c);
}

static void test_library(void)
{
    const subject s = {"matmul", {130, 70}, {16, 16}, {{"body", "library"}, {"parts", "3"}}, 2, NULL};
    app_case *c = looped_prepare(&s, "jobs", "2*virtual:", 0); /* there the host works */
    free(looped_run(c, "2*virtual:").at);
    c->app->free(c);
}

/* ---- refusals ---- */

static void prepare_refused(const char *key, const char *value, const char *word)
{
    const app_pair opts[] = {{key, value}, {"type", "int32"}};
    const app_request q = {{50, 50}, {0, 0}, opts, 2, NULL, 0, {0}};
    char error[APP_ERROR] = "";
    const app *a = app_find("matmul");
    CHECK(a && !a->prepare(&q, error));
    CHECK_MSG(strstr(error, word), "\"%s\" does not say %s", error, word);
}

static void build_refused(const char *engine, uint64_t pool_bytes, uint64_t n_tasks, uint32_t n_tasks_2,
                          const app_pair *opt, const char *word)
{
    const subject s = {"matmul", {50, 50}, {16, 16}, {*opt}, 1, NULL};
    app_case *c = looped_case(&s, engine, "2*virtual:memory=1e6", pool_bytes);
    c->spawning.n_tasks = n_tasks;
    c->spawning.n_tasks_2 = n_tasks_2;
    CHECK(c->scenario->build(c, NULL));
    CHECK_MSG(strstr(c->error, word), "\"%s\" does not say %s", c->error, word);
    c->app->free(c);
}

static void test_refused(void)
{
    const app_pair plain = {"parts", "2"}, library = {"body", "library"};
    prepare_refused("body", "library", "fp32 only");
    prepare_refused("tf32", "1", "tf32");
    prepare_refused("body", "blas", "body");
    build_refused("loop", 0, 0, 0, &library, "only matmul/jobs");
    build_refused("jobs", 0, 9, 0, &plain, "9 x 1 tasks");
    build_refused("jobs", 0, 2, 5, &plain, "2 x 5 tasks");
    build_refused("jobs", UINT64_C(1) << 40, 0, 0, &plain, "pool of 1099511627776 bytes");
    build_refused("jobs", 1000, 0, 0, &plain, "needs");
}

/* A run that takes too long is stopped. */
static void test_limit(void)
{
    const subject slow = {"hotspot", {400, 400}, {0, 0}, {{"steps", "100000"}}, 1, NULL};
    app_case *c = looped_prepare(&slow, "jobs", "2*virtual:", 0);
    c->time_limit_ms = 20;
    CHECK(c->scenario->engine->run(c));
    CHECK_MSG(strstr(c->error, "time limit of 20 ms"), "%s", c->error);
    c->app->free(c);
}

int main(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const size_t n = cuda ? sizeof gpu_places / sizeof *gpu_places : sizeof places / sizeof *places;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK(!unsetenv("HEDDLE_MAP") && !unsetenv("HEDDLE_SAFE") && !unsetenv("HEDDLE_TASKS"));
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i += EACH)
        check_subject(&subjects[i], cuda ? gpu_places : places, n);
    if (!cuda) {
        test_steps();
        test_home();
        test_grid();
        test_traffic();
        test_limit();
        test_refused();
    }
    test_library();
    return 0;
}
