/* SPDX-License-Identifier: MIT */
/* narrow.c - what apps of narrow tasks promise beyond the sizes of odd.c: options together, by one thread and by several, as a
 * graph and in a pool. Each passes the app's check. */
#include "app.h"
#include "check.h"

typedef struct subject {
    const char *app;
    uint64_t n[2], b[2];
    app_pair opts[3];
    size_t n_opts;
} subject;

static const subject subjects[] = {
    {"beam", {3, 1500}, {2, 1500}, {{"channels", "3"}, {"taps", "64"}, {"seed", "2"}}, 3},
    {"beam", {5, 90}, {1, 50}, {{"channels", "1"}, {"taps", "1"}}, 2},
    {"des3", {5, 777}, {2, 777}, {{"mode", "cbc"}, {"key", "0000000000000000FFFFFFFFFFFFFFFF0f1e2d3c4b5a6978"}}, 2},
    {"des3", {5, 777}, {2, 777}, {{"mode", "cbc"}, {"way", "decrypt"}}, 2},
    {"des3", {7, 200}, {1, 9}, {{"mode", "cbc"}, {"way", "decrypt"}, {"seed", "9"}}, 3},
    {"des3", {3, 64}, {3, 64}, {{"mode", "cbc"}, {"way", "encrypt"}}, 2},
    {"dct", {19, 300}, {19, 300}, {{NULL, NULL}}, 0},
    {"dct", {16, 270}, {8, 264}, {{NULL, NULL}}, 0},
    {"fbank", {3, 4500}, {2, 4500}, {{"seed", "4"}}, 1},
    {"fbank", {2, 2050}, {1, 30}, {{NULL, NULL}}, 0},
    {"mix", {7, 0}, {0, 0}, {{"bytes", "700"}}, 1},
    {"mix", {1, 0}, {0, 0}, {{"bytes", "8"}}, 1},
    {"mm", {3, 130}, {2, 130}, {{"seed", "5"}}, 1},
    {"mm", {1, 100}, {1, 96}, {{NULL, NULL}}, 0},
};

static void run(const subject *s, const app_scenario *scenario, const app *a, heddle_ctx *ctx, const char *what)
{
    const app_request q = {{s->n[0], s->n[1]}, {s->b[0], s->b[1]}, s->opts, s->n_opts, NULL, 0, {0}};
    char error[APP_ERROR];
    app_case *c = a->prepare(&q, error);
    CHECK_MSG(c, "%s: %s", s->app, error);
    c->scenario = scenario;
    CHECK_MSG(!scenario->build(c, ctx) && !a->reference(c), "%s: %s", s->app, c->error);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_MSG(!scenario->reset(c), "%s: %s", s->app, c->error);
        CHECK_MSG(!(turn ? scenario->tiles(c) : scenario->engine->run(c)), "%s: %s", s->app, c->error);
        CHECK_MSG(!a->read(c) && !a->check(c), "subject %d, %s/%s, %s: %s", (int)(s - subjects), s->app,
                  scenario->engine->name, what, c->error);
    }
    a->free(c);
}

static void run_all(const heddle_config *config, const char *what)
{
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, config));
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const app *a = app_find(subjects[i].app);
        CHECK(a);
        for (const app_scenario *s = a->scenarios; s->engine; s++)
            run(&subjects[i], s, a, ctx, what);
    }
    heddle_ctx_close(ctx);
}

int main(void)
{
    static const uint32_t teams[] = {1, 3, 8, 32};
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = HEDDLE_CPU;
    config.n_workers = 3;
    run_all(&config, "three threads");
    config.backend = HEDDLE_SERIAL;
    config.n_workers = 0;
    for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
        char what[32];
        config.team_size = teams[i];
        snprintf(what, sizeof what, "a team of %u", teams[i]);
        run_all(&config, what);
    }
    return 0;
}
