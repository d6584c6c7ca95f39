/* SPDX-License-Identifier: MIT */
/* apart.c - what is asked of pools of narrow tasks: so many tasks, blocks, copies, spawning threads, irregular teams, in all
 * combinations. Each passes the app's check, again after a reset, and in a plain loop; without a run the check fails. What is refused.
 *
 * Under a sanitizer a part of the combinations are taken.
 *
 *     apart [--cuda]   on a GPU, in every mode; every third combination in modes that are there for comparison */
#include "app.h"
#include "check.h"

#include <string.h>

static const char *const names[] = {"beam", "conv", "dct", "des3", "fbank", "mandel", "mix", "mm"};
enum { N_NAMES = sizeof names / sizeof *names };

static app_case *make(const char *name, const app_request *q, char *error)
{
    const app *a = app_find(name);
    CHECK(a && a->apart);
    return app_new(a, app_scenario_of(a, app_pool.name), q, error);
}

/* A case of parts with another number of tasks than was asked for would pass its check. */
static void check_tasks(const app_case *c, const app_request *q)
{
    const app_spawning *s = &q->spawning;
    uint32_t teams = 0;
    CHECK_MSG(c->tasks.n == s->n_tasks, "%s: %llu tasks", c->app->name, (unsigned long long)c->tasks.n);
    for (uint64_t i = 0; c->tasks.each && i < c->tasks.n; i++) {
        const heddle_pool_task *t = &c->tasks.each[i];
        CHECK(t->n_blocks == s->n_blocks && (t->n_copies != 0) == s->copies);
        teams |= t->team_size;
    }
    CHECK(teams == (s->irregular ? 32u + 64 + 128 + 256 : 0));
}

static void run(const char *name, const app_request *q, heddle_ctx *ctx, const char *what, int has_loop)
{
    char error[APP_ERROR];
    app_case *c = make(name, q, error);
    CHECK_MSG(c, "%s: %s", name, error);
    CHECK_MSG(!c->scenario->build(c, ctx) && !c->app->read(c) && !c->app->reference(c), "%s: %s", name, c->error);
    check_tasks(c, q);
    CHECK_MSG(c->app->check(c), "%s: the check accepts what was not computed", name);
    for (int turn = 0; turn < 2 + has_loop; turn++) {
        CHECK_MSG(!c->scenario->reset(c), "%s: %s", name, c->error);
        CHECK_MSG(!(turn == 2 ? c->scenario->tiles(c) : c->scenario->engine->run(c)), "%s, %s: %s", name, what,
                  c->error);
        CHECK_MSG(!c->app->read(c) && !c->app->check(c), "%s, %s, blocks %u, threads %u, copies %d, irregular %d: %s",
                  name, what, q->spawning.n_blocks, q->spawning.n_threads, q->spawning.copies, q->spawning.irregular,
                  c->error);
    }
    c->app->free(c);
}

/* What a bit of `set` says. */
static app_request request(const char *name, unsigned set)
{
    static const app_pair small = {"bytes", "900"};
    app_request q = {.spawning = {.n_tasks = set & 2 ? 16 : 32,
                                  .n_blocks = set & 1 ? 3 : 0,
                                  .n_threads = set & 4 ? 3 : 0,
                                  .copies = (set & 8) != 0,
                                  .irregular = (set & 16) != 0}};
    if (!strcmp(name, "mix")) {
        q.opts = &small;
        q.n_opts = 1;
    } else if (!strcmp(name, "mandel") || !strcmp(name, "conv"))
        q.b[0] = q.b[1] = 20;
    else if (!strcmp(name, "dct"))
        q.b[0] = q.b[1] = 32;
    else
        q.b[1] = !strcmp(name, "mm") ? 36 : 400;
    return q;
}

/* Every `step`-th combination. */
static void run_all(const heddle_config *config, const char *what, unsigned first, unsigned step)
{
    static uint64_t seed = 33;
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, config));
    for (int k = 0; k < N_NAMES; k++)
        for (unsigned set = first; set < 32; set += step) {
            if (!check_takes(&seed))
                continue;
            const app_request q = request(names[k], set);
            run(names[k], &q, ctx, what, config->backend != HEDDLE_CUDA);
        }
    heddle_ctx_close(ctx);
}

/* ---- refusals ---- */

static void refused(const char *name, const app_request *q, const char *why)
{
    char error[APP_ERROR] = "";
    CHECK_MSG(!make(name, q, error) && strstr(error, why), "%s: '%s' and not '%s'", name, error, why);
}

static void test_refused(void)
{
    const app *mm = app_find("mm"), *slu = app_find("slu");
    char error[APP_ERROR] = "";
    refused("mm", &(app_request){.n = {9, 9}, .spawning = {.n_tasks = 4}}, "no -n and no --input");
    refused("mm", &(app_request){.n = {9, 9}, .spawning = {.irregular = 1}}, "no -n and no --input");
    refused("mm", &(app_request){.spawning = {.irregular = 1, .n_tasks = 6}}, "a multiple of 4 is expected");
    refused("mix", &(app_request){.spawning = {.n_tasks = 6}}, "a multiple of 4 is expected");
    refused("mix", &(app_request){.spawning = {.irregular = 1, .n_tasks = 20}}, "a multiple of 16 is expected");
    refused("conv", &(app_request){.n = {99, 99}, .b = {16, 16}, .spawning = {.copies = 1}}, "not 16 of 99 columns");
    refused("dct", &(app_request){.n = {99, 99}, .b = {12, 99}, .spawning = {.copies = 1}},
            "whole blocks of 8, not 12");
    CHECK(!app_new(mm, mm->scenarios, &(app_request){.spawning = {.n_tasks = 4}}, error) && strstr(error, "for pools"));
    CHECK(!app_new(slu, app_scenario_of(slu, app_pool.name), &(app_request){.spawning = {.n_threads = 2}}, error) &&
          strstr(error, "come after others"));
}

/* ---- all ---- */

static int is_there_for_users(unsigned mode) { return mode == HEDDLE_POOL_RESIDENT || mode == HEDDLE_POOL_LAUNCHES; }

static void run_on_gpu(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = HEDDLE_CUDA;
    for (unsigned mode = HEDDLE_POOL_AUTO + 1; mode < HEDDLE_N_POOL_MODES; mode++) {
        const char *name = heddle_pool_mode_name((heddle_pool_mode)mode);
        CHECK(!setenv("HEDDLE_POOL_MODE", name, 1));
        run_all(&config, name, is_there_for_users(mode) ? 0 : mode % 3, is_there_for_users(mode) ? 1 : 3);
    }
}

int main(int argc, char **argv)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    test_refused();
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            SKIP("no GPU here");
        run_on_gpu();
        return 0;
    }
    config.backend = HEDDLE_CPU;
    config.n_workers = 3;
    run_all(&config, "three threads", 0, 1);
    config.backend = HEDDLE_SERIAL;
    config.n_workers = 0;
    config.team_size = 1;
    run_all(&config, "one thread", 1, 3);
    config.team_size = 40;
    run_all(&config, "a team of 40", 0, 5);
    return 0;
}
