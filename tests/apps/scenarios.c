/* SPDX-License-Identifier: MIT */
/* scenarios.c - every scenario of every app: no other has its engine's name, by which it is found. It builds, runs,
 * passes the app's check, again after a reset, and its engine reports numbers. */
#include "app.h"
#include "check.h"

#include <string.h>

static app_case *prepare(const app *a)
{
    app_request q = {{0}, {0}, NULL, 0, NULL, 0, {0}};
    char error[APP_ERROR] = "";
    app_case *c;
    q.n[0] = a->n[1] ? 24 : a->n[0] < 8 ? a->n[0] : 8;
    q.n[1] = a->n[1] ? 24 : 0;
    q.b[0] = q.b[1] = a->n[1] ? 8 : 0;
    c = a->prepare(&q, error);
    CHECK_MSG(c, "%s: %s", a->name, error);
    CHECK(c->scenario == a->scenarios);
    return c;
}

/* Each text must have a place for its value, each value must fit this small graph. */
static void check_facts(const app_case *c, const char *name)
{
    app_fact facts[APP_FACTS];
    size_t n = c->scenario->engine->facts(c, facts), i;
    CHECK_MSG(n > 0 && n <= APP_FACTS, "%s tells %zu numbers", name, n);
    for (i = 0; i < n; i++)
        CHECK_MSG(strchr(facts[i].words, '#') && facts[i].value < 1u << 20, "%s: %s", name, facts[i].words);
    CHECK_MSG(facts[0].value > 0, "%s: %s", name, facts[0].words);
}

static void run_scenario(const app *a, const app_scenario *s)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    app_case *c = prepare(a);
    heddle_ctx *ctx;
    int run;
    config.backend = HEDDLE_CPU;
    config.n_workers = 2;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    c->scenario = s;
    CHECK_MSG(!s->build(c, ctx), "%s/%s: %s", a->name, s->engine->name, c->error);
    for (run = 0; run < 2; run++) {
        CHECK_MSG(!run || !s->reset(c), "%s/%s: %s", a->name, s->engine->name, c->error);
        CHECK_MSG(!s->engine->run(c), "%s/%s: %s", a->name, s->engine->name, c->error);
        CHECK_MSG(!a->read(c) && !a->reference(c) && !a->check(c), "%s/%s: %s", a->name, s->engine->name, c->error);
    }
    check_facts(c, a->name);
    a->free(c);
    heddle_ctx_close(ctx);
}

/* A run that fails must leave a sentence in the case. */
static void refuses(void)
{
    app_case *c = prepare(app_find("lu"));
    heddle_ctx *ctx;
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    CHECK_MSG(!c->scenario->build(c, ctx), "%s", c->error);
    c->record_bytes++;
    CHECK(c->scenario->engine->run(c) == -1);
    CHECK(strlen(c->error) > 0);
    c->app->free(c);
    heddle_ctx_close(ctx);
}

int main(void)
{
    const app_scenario *s;
    size_t i;
    for (i = 0; app_list[i]; i++) {
        CHECK(app_scenario_of(app_list[i], NULL) == app_list[i]->scenarios);
        CHECK(!app_scenario_of(app_list[i], "nothing"));
        for (s = app_list[i]->scenarios; s->engine; s++) {
            CHECK(app_scenario_of(app_list[i], s->engine->name) == s);
            run_scenario(app_list[i], s);
        }
        CHECK(s > app_list[i]->scenarios);
    }
    refuses();
    return 0;
}
