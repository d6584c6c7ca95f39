/* SPDX-License-Identifier: MIT */
/* target.c - see target.h. */
#include "target.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static int unknown_app(const char *name, size_t n)
{
    char word[64];
    cli_guess guess = {.word = word};
    snprintf(word, sizeof word, "%.*s", (int)n, name);
    for (size_t i = 0; app_list[i]; i++)
        cli_guess_offer(&guess, app_list[i]->name);
    return cli_bad("unknown app '%s'%s", word, cli_guess_tail(&guess));
}

static int unknown_engine(const app *a, const char *engine)
{
    cli_guess guess = {.word = engine};
    for (const app_scenario *s = a->scenarios; s->engine; s++)
        cli_guess_offer(&guess, s->engine->name);
    return cli_bad("unknown scenario '%s/%s'%s (heddle info lists them)", a->name, engine, cli_guess_tail(&guess));
}

/* The app named by the first n letters. */
static const app *app_named(const char *name, size_t n)
{
    for (size_t i = 0; app_list[i]; i++)
        if (strlen(app_list[i]->name) == n && !memcmp(app_list[i]->name, name, n))
            return app_list[i];
    return NULL;
}

/* The scenario of an app named alone. */
static const app_scenario *scenario_for(const app *a, heddle_schedule schedule)
{
    for (const app_scenario *s = a->scenarios; s->engine; s++)
        if (schedule && s->engine->schedule == schedule)
            return s;
    return a->scenarios;
}

static int check_loop(const options *o, const char *name)
{
    const heddle_config *c = &o->config;
    if (c->schedule || c->expert.policy || c->expert.by_body)
        return cli_bad("--schedule, --policy and --by-body: %s has no graph; --split says how a loop is divided", name);
    if (o->devices && (c->backend || c->n_workers || c->device))
        return cli_bad("--devices says where a loop runs; --backend, --workers and --device do, too");
    return CLI_OK;
}

/* What goes with one engine only. */
static int check_engine(const options *o, const char *name, const app_engine *engine)
{
    if (o->pool && engine != &app_pool)
        return cli_bad("--pool: %s is no scenario of a pool", name);
    if (o->is_jobs && engine != &app_jobs)
        return cli_bad("--map, --static, --safe, --tasks-2 and --pool BYTES: %s is no scenario of jobs", name);
    if (o->has_split && engine == &app_jobs)
        return cli_bad("--split: jobs are not divided by it; --map says which device has what");
    if (o->is_loop && !app_engine_has_fleet(engine))
        return cli_bad("--devices and --split: %s is no scenario of a loop, jobs or wavefront", name);
    return app_engine_has_fleet(engine) ? check_loop(o, name) : CLI_OK;
}

/* The scenario that --devices or --split means. */
static const char *fleet_engine(const app *a)
{
    return a && !app_scenario_of(a, app_loop.name) && app_scenario_of(a, app_wavefront.name) ? app_wavefront.name
                                                                                             : app_loop.name;
}

int find_scenario(const options *o, const char *name, const app **a, const app_scenario **s)
{
    size_t n = strcspn(name, "/");
    const char *engine;
    *a = app_named(name, n);
    engine = name[n]      ? name + n + 1
             : o->pool    ? app_pool.name
             : o->is_jobs ? app_jobs.name
             : o->is_loop ? fleet_engine(*a)
                          : NULL;
    if (!*a)
        return unknown_app(name, n);
    *s = engine ? app_scenario_of(*a, engine) : scenario_for(*a, o->config.schedule);
    return *s ? check_engine(o, name, (*s)->engine) : unknown_engine(*a, engine);
}

int find_app(const char *name, const app **out)
{
    *out = app_find(name);
    return *out ? CLI_OK : unknown_app(name, strlen(name));
}

/* A slash after the name of an app separates a scenario. */
static int is_file(const char *word)
{
    size_t n = strlen(word);
    return (n > 5 && !strcmp(word + n - 5, ".json")) || (strchr(word, '/') && !app_named(word, strcspn(word, "/")));
}

static int find_app_target(const options *o, target *out)
{
    if (find_scenario(o, o->words[0], &out->app, &out->scenario))
        return CLI_BAD;
    if (out->scenario->engine->schedule && o->request.b[0])
        return cli_bad("-b: %s/%s has no blocks", out->app->name, out->scenario->engine->name);
    return CLI_OK;
}

int find_target(const options *o, const char *command, target *out)
{
    const app_request *q = &o->request;
    *out = (target){.app = NULL};
    if (o->n_words != 1)
        return cli_bad("%s takes one app or one file: heddle %s APP[/ENGINE]|FILE.json", command, command);
    if (!is_file(o->words[0]))
        return find_app_target(o, out);
    out->file = o->words[0];
    if (q->n[0] || q->b[0] || q->n_opts || q->n_inputs)
        return cli_bad("-n, -b, --opt and --input belong to apps; %s is a graph", out->file);
    return CLI_OK;
}

int open_target(work *w, const target *t, const options *o, const heddle_config *config)
{
    return t->app ? work_open_scenario(w, t->app, t->scenario, &o->request, config)
                  : work_open(w, NULL, t->file, &o->request, config);
}

/* ---- plans ---- */

int has_workers(const heddle_config *config)
{
    return config->schedule == HEDDLE_SCHEDULE_AUTO || heddle_schedule_has_workers(config->schedule);
}

void ask_for_workers(heddle_config *config)
{
    int gpu =
        config->backend == HEDDLE_CUDA || (config->backend == HEDDLE_AUTO && heddle_backend_is_present(HEDDLE_CUDA));
    if (gpu && config->schedule == HEDDLE_SCHEDULE_AUTO && !config->expert.policy)
        config->schedule = HEDDLE_SCHEDULE_DYNAMIC;
}
