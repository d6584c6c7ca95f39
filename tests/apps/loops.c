/* SPDX-License-Identifier: MIT */
/* loops.c - every scenario APP/loop under every way to divide on every fleet, at sizes that no tile divides: all that it writes
 * and finds is, byte for byte, what one thread gives, and passes the app's check. Devices are unequal, and some fail on the way. A check
 * finds fault with a case that has not run, and with one wrong byte. Also what prepare and build refuse.
 *
 *     loops [--cuda]    --cuda: on fleets with GPUs instead
 *     HEDDLE_FLEETS: so many fleets a way (2), of all in turn */
#include "apps/looped.h"

static const char *const fleets[] = {"serial",
                                     "cpu:2",
                                     "virtual:speed=0.5 cpu:1",
                                     "2*virtual:memory=3e6",
                                     "cpu:3",
                                     "virtual:speed=0.2 virtual: virtual:speed=0.6,memory=4e6",
                                     "virtual:fail=5 cpu:1",
                                     "virtual:speed=0.3 virtual:fail=12 virtual:speed=0.7,fail=40 cpu:1"};
static const char *const gpu_fleets[] = {"serial", "cuda:0", "cuda:0 cpu:2", "2*cuda:0/2 virtual: cpu:1"};

/* 1: a device was lost while it wrote what the loop also reads, so nobody can do it again. */
static int is_lost(app_case *c, const char *devices)
{
    if (!c->scenario->engine->run(c))
        return 0;
    CHECK_MSG(strstr(devices, "fail=") && strstr(c->error, "which the loop also reads"), "%s on %s: %s", c->app->name,
              devices, c->error);
    return 1;
}

/* Twice, with a reset between. */
static void check_same(const subject *s, const char *devices, const bytes *want)
{
    app_case *c = looped_prepare(s, "loop", devices, 0);
    for (int turn = 0; turn < 2; turn++) {
        bytes got;
        CHECK(!turn || !c->scenario->reset(c));
        if (is_lost(c, devices))
            break;
        got = looped_check(c, devices);
        CHECK_MSG(got.n == want->n && !memcmp(got.at, want->at, got.n), "subject %d, %s on %s: other bytes than serial",
                  (int)(s - subjects), s->app, devices);
        free(got.at);
    }
    c->app->free(c);
}

/* All fleets under the default way, and n_fleets of them under each other way: with as many as there are, each under each. */
static void check_splits(const subject *s, const char *const *list, size_t n, size_t n_fleets, const bytes *want)
{
    for (size_t split = 0; split < HEDDLE_N_SPLITS; split++) {
        const size_t count = split == HEDDLE_SPLIT_CUT || n_fleets > n ? n : n_fleets;
        CHECK(!setenv("HEDDLE_SPLIT", heddle_split_name((heddle_split)split), 1));
        for (size_t i = 0; i < count; i++)
            check_same(s, list[(i + (size_t)(s - subjects) * n_fleets + split) % n], want);
    }
    CHECK(!unsetenv("HEDDLE_SPLIT"));
}

static void check_subject(const subject *s, const char *const *list, size_t n, size_t n_fleets)
{
    bytes want = looped_serial(s, "loop");
    check_splits(s, list, n, n_fleets, &want);
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
    option_refused("ep", "tile", "-1");
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
        const subject large = {"matmul", {700, 600}, {0, 0}, {{"k", "400"}, {"type", types[i]}}, 2, NULL};
        app_case *c = looped_prepare(&large, "loop", "cpu:2", 0);
        bytes got = looped_run(c, "cpu:2");
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
    const subject slow = {"mandel", {200, 200}, {1, 100}, {{"most", "100000"}}, 1, NULL};
    app_case *c = looped_prepare(&slow, "loop", "cpu:2", 0);
    c->time_limit_ms = 20;
    CHECK(c->scenario->engine->run(c));
    CHECK_MSG(strstr(c->error, "time limit of 20 ms"), "%s", c->error);
    c->app->free(c);
}

int main(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const char *asked = getenv("HEDDLE_FLEETS");
    const size_t n_fleets = asked ? (size_t)atoi(asked) : 2;
    const size_t n = cuda ? sizeof gpu_fleets / sizeof *gpu_fleets : sizeof fleets / sizeof *fleets;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK(!unsetenv("HEDDLE_SPLIT"));
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        check_subject(&subjects[i], cuda ? gpu_fleets : fleets, n, n_fleets);
    test_rows_of_product();
    test_refused();
    test_limit();
    return 0;
}
