/* SPDX-License-Identifier: MIT */
/* loops.c - every scenario APP/loop on several fleets and under every way to divide, at sizes that no tile divides: all that it writes
 * and finds is, byte for byte, what one thread gives, and passes the app's check. A check finds fault with a case that has not run,
 * and with one wrong byte. Also what prepare and build refuse.
 *
 *     loops [--cuda]    --cuda: on fleets with GPUs instead */
#include "check.h"
#include "loop.h"

#include <string.h>

typedef struct subject {
    const char *app;
    uint64_t n[2], b[2];
    app_pair opts[2];
    size_t n_opts;
} subject;

static const subject subjects[] = {
    {"blackscholes", {30011, 0}, {0, 0}, {{"tile", "100"}}, 1},
    {"blackscholes", {1, 0}, {0, 0}, {{"rate", "0"}, {"volatility", "1"}}, 2},
    {"boxfilter", {301, 217}, {7, 50}, {{NULL, NULL}}, 0},
    {"boxfilter", {60, 700}, {64, 600}, {{"reach", "0"}}, 1},
    {"boxfilter", {33, 41}, {5, 8}, {{"reach", "127"}}, 1},
    {"boxfilter", {700, 1}, {9, 1}, {{"reach", "3"}}, 1},
    {"ep", {300007, 0}, {0, 0}, {{"tile", "1"}}, 1},
    {"ep", {70, 0}, {0, 0}, {{NULL, NULL}}, 0},
    {"histogram", {1000003, 0}, {0, 0}, {{"tile", "12"}}, 1},
    {"histogram", {5, 0}, {0, 0}, {{NULL, NULL}}, 0},
    {"hotspot", {97, 130}, {9, 50}, {{"steps", "3"}}, 1},
    {"hotspot", {65, 1100}, {0, 0}, {{"steps", "5"}}, 1},
    {"hotspot", {1, 1}, {0, 0}, {{"steps", "1"}}, 1},
    {"mandel", {90, 71}, {3, 40}, {{"most", "60"}}, 1},
    {"mandel", {40, 300}, {0, 0}, {{"most", "60"}}, 1},
    {"matmul", {301, 217}, {64, 50}, {{"k", "77"}}, 1},
    {"matmul", {300, 260}, {0, 0}, {{"k", "141"}, {"parts", "3"}}, 2},
    {"matmul", {256, 384}, {0, 0}, {{"k", "96"}, {"parts", "3"}}, 2},
    {"matmul", {150, 140}, {0, 0}, {{"type", "int32"}, {"parts", "7"}}, 2},
    {"matmul", {1, 1}, {0, 0}, {{"type", "int32"}}, 1},
};
static const char *const fleets[] = {"serial", "cpu:2", "virtual:speed=0.5 cpu:1", "2*virtual:memory=3e6", "cpu:3"};
static const char *const gpu_fleets[] = {"serial", "cuda:0", "cuda:0 cpu:2", "2*cuda:0/2 virtual: cpu:1"};

/* All that a loop writes and finds. */
typedef struct bytes {
    uint8_t *at;
    size_t n;
} bytes;

static void add(bytes *to, const void *from, size_t n)
{
    to->at = realloc(to->at, to->n + n);
    CHECK(to->at);
    memcpy(to->at + to->n, from, n);
    to->n += n;
}

static bytes take(const app_case *c)
{
    const app_loop_form *f = &c->looping->form;
    bytes all = {NULL, 0};
    for (uint32_t i = 0; i < f->n_rows; i++)
        if (f->rows[i].mode != HEDDLE_MODE_IN)
            add(&all, f->rows[i].host, f->rows[i].n_rows * f->rows[i].row_bytes);
    for (uint32_t i = 0; i < f->n_found; i++)
        add(&all, f->found[i].result, f->found[i].n * 8u);
    CHECK(all.n > 0);
    return all;
}

static app_case *prepare(const subject *s, const char *devices)
{
    const app_request q = {{s->n[0], s->n[1]}, {s->b[0], s->b[1]}, s->opts, s->n_opts, NULL, 0, {0}};
    const app *a = app_find(s->app);
    char error[APP_ERROR];
    app_case *c = app_new(a, app_scenario_of(a, "loop"), &q, error);
    CHECK_MSG(c, "%s: %s", s->app, error);
    c->devices = devices;
    CHECK_MSG(!c->scenario->build(c, NULL), "%s on %s: %s", s->app, devices, c->error);
    return c;
}

static bytes run(app_case *c, const char *devices)
{
    CHECK_MSG(!c->scenario->engine->run(c), "%s on %s: %s", c->app->name, devices, c->error);
    CHECK_MSG(!c->app->read(c) && !c->app->reference(c), "%s: %s", c->app->name, c->error);
    CHECK_MSG(!c->app->check(c), "%s on %s: %s", c->app->name, devices, c->error);
    return take(c);
}

/* Twice, with a reset between. */
static void check_same(const subject *s, const char *devices, const bytes *want)
{
    app_case *c = prepare(s, devices);
    for (int turn = 0; turn < 2; turn++) {
        bytes got;
        CHECK(!turn || !c->scenario->reset(c));
        got = run(c, devices);
        CHECK_MSG(got.n == want->n && !memcmp(got.at, want->at, got.n), "subject %d, %s on %s: other bytes than serial",
                  (int)(s - subjects), s->app, devices);
        free(got.at);
    }
    c->app->free(c);
}

/* Changes the first result by more than any tolerance allows. */
static void spoil(app_case *c)
{
    const app_loop_form *f = &c->looping->form;
    if (f->n_found)
        ((uint8_t *)f->found[0].result)[6] ^= 1;
    for (uint32_t i = 0; i < f->n_rows; i++)
        if (f->rows[i].mode != HEDDLE_MODE_IN)
            ((uint8_t *)f->rows[i]
                 .host)[f->rows[i].row_bytes == 1 ? 0 : f->rows[i].row_bytes / 4 * 4 - (f->rows[i].row_bytes > 3)] ^=
                64;
}

static bytes check_serial(const subject *s)
{
    app_case *c = prepare(s, "serial");
    bytes got;
    CHECK(!c->app->read(c) && !c->app->reference(c));
    CHECK_MSG(c->app->check(c), "%s: its check accepts a case that has not run", s->app);
    got = run(c, "serial");
    spoil(c);
    CHECK_MSG(c->app->check(c), "%s: its check accepts a wrong byte", s->app);
    c->app->free(c);
    return got;
}

static void check_splits(const subject *s, const char *devices, const bytes *want)
{
    for (int split = 0; split < HEDDLE_N_SPLITS; split++) {
        CHECK(!setenv("HEDDLE_SPLIT", heddle_split_name((heddle_split)split), 1));
        check_same(s, devices, want);
    }
    CHECK(!unsetenv("HEDDLE_SPLIT"));
}

static void check_subject(const subject *s, const char *const *list, size_t n)
{
    bytes want = check_serial(s);
    for (size_t i = 0; i < n; i++)
        check_same(s, list[i], &want);
    check_splits(s, list[n - 2], &want);
    free(want.at);
}

/* ---- refusals ---- */

static void refused(const char *name, const app_request *q, const char *word)
{
    char error[APP_ERROR] = "";
    const app *a = app_find(name);
    CHECK(a && !a->prepare(q, error));
    CHECK_MSG(strstr(error, word), "\"%s\" does not say %s", error, word);
}

static void option_refused(const char *name, const char *key, const char *value)
{
    const app_pair opt = {key, value};
    const app_request q = {{50, 0}, {0, 0}, &opt, 1, NULL, 0, {0}};
    refused(name, &q, key);
}

/* Temperatures alone. */
static void input_refused(void)
{
    const char *const inputs[] = {TEST_SOURCE_DIR "/data/hotspot/temp_64"};
    const app_request q = {{0, 0}, {0, 0}, NULL, 0, inputs, 1, {0}};
    refused("hotspot", &q, "two input files");
}

static void build_refused(const char *devices, const char *word)
{
    const app_request q = {{50, 0}, {0, 0}, NULL, 0, NULL, 0, {0}};
    const app *a = app_find("ep");
    char error[APP_ERROR];
    app_case *c = a->prepare(&q, error);
    CHECK(c);
    c->devices = devices;
    CHECK(c->scenario->build(c, NULL));
    CHECK_MSG(strstr(c->error, word), "\"%s\" does not say %s", c->error, word);
    a->free(c);
}

static void test_refused(void)
{
    const app_request large = {{UINT64_C(1) << 41, 0}, {0, 0}, NULL, 0, NULL, 0, {0}};
    refused("ep", &large, "too many");
    refused("histogram", &large, "too many");
    refused("blackscholes", &large, "too many");
    option_refused("ep", "class", "X");
    option_refused("ep", "tile", "0");
    option_refused("histogram", "tile", "3");
    option_refused("boxfilter", "reach", "128");
    option_refused("hotspot", "steps", "0");
    option_refused("matmul", "type", "fp64");
    option_refused("matmul", "parts", "-1");
    option_refused("blackscholes", "volatility", "0");
    input_refused();
    build_refused("nothing", "nothing");
    build_refused("virtual: gpu:1", "gpu:1");
}

/* Of a large product not every number is looked at, but every row is. */
static void test_rows_of_product(void)
{
    static const char *const types[] = {"fp32", "int32"};
    for (int i = 0; i < 2; i++) {
        const subject large = {"matmul", {700, 600}, {0, 0}, {{"k", "400"}, {"type", types[i]}}, 2};
        app_case *c = prepare(&large, "cpu:2");
        bytes got = run(c, "cpu:2");
        uint8_t *product = c->looping->form.rows[2].host;
        product[(5 * 600 + 7) * 4 + 3] ^= 1; /* a power of two, or 2^24 */
        CHECK(c->app->check(c));
        CHECK_MSG(strstr(c->error, "row 5 of C x"), "%s", c->error);
        free(got.at);
        c->app->free(c);
    }
}

/* A run that takes too long is stopped, and the next one does not. */
static void test_limit(void)
{
    const subject slow = {"mandel", {200, 200}, {1, 100}, {{"most", "100000"}}, 1};
    app_case *c = prepare(&slow, "cpu:2");
    c->time_limit_ms = 20;
    CHECK(c->scenario->engine->run(c));
    CHECK_MSG(strstr(c->error, "time limit of 20 ms"), "%s", c->error);
    c->app->free(c);
}

int main(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const size_t n = cuda ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK(!unsetenv("HEDDLE_SPLIT"));
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        check_subject(&subjects[i], cuda ? gpu_fleets : fleets, n);
    test_rows_of_product();
    test_refused();
    test_limit();
    return 0;
}
