/* SPDX-License-Identifier: MIT */
/* odd.c - every scenario on sizes that no block divides, with blocks of one cell, of one row, and larger than all;
 * on the serial backend and the cpu backend with every policy, waves on one to four threads, run after run. Each passes
 * the app's check against a serial reference; so do its bodies in plain loops. Under a sanitizer a part of the sizes are taken.
 * Also what prepare must refuse. */
#include "app.h"
#include "check.h"

#include <string.h>

/* Rows, columns, of the problem and of a block. lu uses the square ones. */
static const uint64_t sizes[][4] = {{100, 100, 32, 32}, {65, 65, 64, 64}, {63, 63, 64, 64}, {64, 64, 64, 64},
                                    {1, 1, 64, 64},     {7, 7, 1, 1},     {33, 33, 2, 2},   {129, 67, 16, 50},
                                    {2, 200, 1, 7},     {200, 2, 7, 1},   {1, 77, 3, 10},   {91, 1, 10, 3},
                                    {61, 59, 61, 1},    {59, 61, 1, 61},  {50, 80, 49, 79}, {40, 90, 41, 200}};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

static const char *text_of(const app_case *c)
{
    static char text[128];
    snprintf(text, sizeof text, "%s/%s, %llux%llu in %llux%llu", c->app->name, c->scenario->engine->name,
             (unsigned long long)c->n[0], (unsigned long long)c->n[1], (unsigned long long)c->b[0],
             (unsigned long long)c->b[1]);
    return text;
}

static void check_case(app_case *c)
{
    const app *a = c->app;
    CHECK_MSG(!a->read(c), "%s: %s", text_of(c), c->error);
    CHECK_MSG(!a->check(c), "%s: %s", text_of(c), c->error);
}

/* A check that accepts everything proves nothing: without a run it must fail, unless the size leaves nothing to
 * compute. Returns whether it failed. */
static int fails_unrun(app_case *c)
{
    CHECK_MSG(!c->app->read(c), "%s: %s", text_of(c), c->error);
    return c->app->check(c) != 0;
}

static int run_case(const app *a, const app_scenario *s, const app_request *q, heddle_ctx *ctx)
{
    char error[APP_ERROR];
    app_case *c = a->prepare(q, error);
    int i, sharp;
    CHECK_MSG(c, "%s: %s", a->name, error);
    CHECK(c->app == a && c->n[0] == q->n[0] && c->n[1] == q->n[1] && c->b[0] <= c->n[0] && c->b[1] <= c->n[1]);
    c->scenario = s;
    CHECK_MSG(!s->build(c, ctx) && !a->reference(c), "%s: %s", text_of(c), c->error);
    sharp = fails_unrun(c);
    for (i = 0; i < 3; i++) {
        CHECK_MSG(!s->reset(c) && !s->engine->run(c), "%s: %s", text_of(c), c->error);
        check_case(c);
    }
    CHECK_MSG(!s->reset(c) && !(s->tiles ? s->tiles(c) : s->engine->run(c)), "%s: %s", text_of(c), c->error);
    check_case(c);
    a->free(c);
    return sharp;
}

static int run_size(const app *a, const app_scenario *how_run, const uint64_t *s, heddle_ctx *ctx, uint32_t turn)
{
    app_pair sweeps = {"sweeps", turn % 2 ? "1" : "4"}, keep = {"keep", "1"}, how = {"how", "spawn"},
             bins = {"bins", turn % 3 ? "32" : "5"}, back = {"way", "decrypt"}, chain = {"mode", "cbc"},
             order = {"order", turn % 3 ? "handles" : "waves"};
    app_request q = {{s[0], s[1]}, {s[2], s[3]}, NULL, 0, NULL, 0, {0}};
    if (strstr(a->name, "lu") && (s[0] != s[1] || s[2] != s[3]))
        return 0;
    if (!strncmp(a->name, "heat", 4) || !strcmp(a->name, "jacobi") || !strcmp(a->name, "sor"))
        q.opts = &sweeps;
    else if (!strcmp(a->name, "inthist"))
        q.opts = &bins;
    else if (turn % 2 && (!strcmp(a->name, "sw") || !strcmp(a->name, "dtw")))
        q.opts = &keep;
    else if (turn % 2 && !strcmp(a->name, "slu"))
        q.opts = how_run->engine == &app_pool ? &order : &how;
    else if (!strcmp(a->name, "des3"))
        q.opts = turn % 2 ? &back : s[3] >= s[1] ? &chain : NULL;
    if (!strcmp(a->name, "mm") && q.n[0] > 9) /* each row is a product of matrices */
        q.n[0] = 9;
    q.n_opts = q.opts != NULL;
    return run_case(a, how_run, &q, ctx);
}

static void test_scenario(const app *a, const app_scenario *s, heddle_ctx *ctx, uint32_t turn)
{
    static uint64_t seed = 32;
    uint32_t i, sharp;
    for (i = sharp = 0; i < N_SIZES; i++)
        if (check_takes(&seed))
            sharp += (uint32_t)run_size(a, s, sizes[i], ctx, i + turn);
    CHECK_MSG(sharp >= 3 || CHECK_IS_SLOW, "%s/%s: its check finds no fault before the run (%u)", a->name,
              s->engine->name, sharp);
}

/* Runs all scenarios with an engine of this schedule on such a context; AUTO: the scenarios that use graphs. */
static void test_context(const heddle_config *cfg, heddle_schedule schedule, uint32_t turn)
{
    const app_scenario *s;
    heddle_ctx *ctx;
    uint32_t n;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, cfg));
    for (n = 0; app_list[n]; n++)
        for (s = app_list[n]->scenarios; s->engine; s++)
            if (app_list[n]->n[1] && s->engine->schedule == schedule) /* apps of one size: spawned.c */
                test_scenario(app_list[n], s, ctx, turn);
    heddle_ctx_close(ctx);
}

static void test_policy(heddle_policy p)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    cfg.backend = p ? HEDDLE_CPU : HEDDLE_SERIAL;
    cfg.expert.policy = p;
    cfg.n_workers = p ? 4 : 0;
    cfg.expert.n_ring = p ? 1u << p : 0;
    test_context(&cfg, HEDDLE_SCHEDULE_AUTO, (uint32_t)p);
}

/* n_workers 0 means the serial backend. */
static void test_waves(uint32_t n_workers)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    cfg.backend = n_workers ? HEDDLE_CPU : HEDDLE_SERIAL;
    cfg.n_workers = n_workers;
    test_context(&cfg, HEDDLE_SCHEDULE_WAVE, n_workers);
}

/* A wave refuses options that it lacks when it is built. */
static void test_wave_refused(const char *name)
{
    app_pair tuned = {"body", "tuned"};
    app_request q = {{10, 10}, {4, 4}, &tuned, 1, NULL, 0, {0}};
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    const app *a = app_find(name);
    char error[APP_ERROR];
    app_case *c = a->prepare(&q, error);
    heddle_ctx *ctx;
    cfg.backend = HEDDLE_SERIAL;
    CHECK_MSG(c, "%s", error);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    c->scenario = app_scenario_of(a, "wave");
    CHECK(c->scenario && c->scenario->build(c, ctx) && strstr(c->error, "option body"));
    a->free(c);
    heddle_ctx_close(ctx);
}

/* ---- refusals of prepare ----------------------------------------------------------------------------------------- */

static void refused(const app *a, const app_request *q, const char *word)
{
    char error[APP_ERROR] = "";
    app_case *c = a->prepare(q, error);
    CHECK_MSG(!c, "%s: a bad request is taken (%s)", a->name, word);
    CHECK_MSG(strstr(error, word), "%s: \"%s\" does not say %s", a->name, error, word);
}

static void test_refused(const app *a)
{
    const char *missing[] = {"/nowhere/1", "/nowhere/2", "/nowhere/3"};
    app_pair unknown = {"colour", "1"}, again[2] = {{a->options[0].key, "-7777777777777777777777"}, {NULL, NULL}};
    const uint64_t b = a->b[0] ? 4 : 0;
    app_request q = {{10, 10}, {b, b}, &unknown, 1, NULL, 0, {0}};
    refused(a, &q, "colour");
    q.n_opts = 0;
    q.inputs = missing;
    q.n_inputs = 3;
    refused(a, &q, "input");
    q.n_inputs = !strcmp(a->name, "sw") ? 2 : 1;
    refused(a, &q, strcmp(a->formats, "none") ? "/nowhere/1" : "takes no input file");
    q.n_inputs = 0;
    q.n[0] = q.n[1] = 1ull << 62;
    q.b[0] = q.b[1] = b != 0;
    refused(a, &q, "");
    q.n[0] = q.n[1] = 10;
    if (a->options[0].key) {
        q.opts = again;
        q.n_opts = 1;
        refused(a, &q, a->options[0].key);
    }
    a->free(NULL);
}

/* A size of blocks for an app without blocks, one number or two. */
static void test_no_blocks(const app *a)
{
    app_request q = {{0, 0}, {7, 0}, NULL, 0, NULL, 0, {0}};
    if (a->b[0])
        return;
    refused(a, &q, "has no blocks");
    q.b[1] = 7;
    refused(a, &q, "has no blocks");
}

/* Block sizes that tuned bodies do not support. */
static void test_tuned_refused(void)
{
    app_pair tuned = {"body", "tuned"};
    app_request lu = {{100, 100}, {24, 24}, &tuned, 1, NULL, 0, {0}};
    refused(app_find("lu"), &lu, "a multiple of 16 rows, not of 24");
}

int main(void)
{
    uint32_t p, n;
    for (p = 0; p < HEDDLE_N_POLICIES; p++)
        test_policy((heddle_policy)p);
    for (n = 0; n <= 4; n++)
        test_waves(n);
    test_wave_refused("sw");
    test_wave_refused("dtw");
    for (n = 0; app_list[n]; n++) {
        test_refused(app_list[n]);
        test_no_blocks(app_list[n]);
    }
    test_tuned_refused();
    CHECK(n >= 8 && !app_find("none") && app_find("lu") && !strcmp(app_find("lu")->name, "lu"));
    return 0;
}
