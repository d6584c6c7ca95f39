/* SPDX-License-Identifier: MIT */
/* apps.c - every app on small odd sizes on threads. With every dispatch and policy, on 1, 2, 3 and 7 workers, it passes
 * its own check, and does so again after a reset. Under a sanitizer a part of these cases are run. */
#include "app.h"
#include "check.h"
#include "schedules.h"

#include <string.h>

static const uint32_t worker_counts[] = {1, 2, 3, 7};

/* Rows, columns, of the problem and of a block; lu uses the square ones. */
static const uint64_t sizes[][4] = {{37, 37, 8, 8}, {45, 31, 16, 7}, {3, 40, 1, 9}, {9, 9, 64, 64}};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

/* Apps of one size: see apps/spawned.c. */
static int fits(const app *a, const uint64_t *s)
{
    return a->n[1] && (!strstr(a->name, "lu") || (s[0] == s[1] && s[2] == s[3]));
}

static void run_case(const app *a, const app_scenario *s, const uint64_t *size, heddle_ctx *ctx, const char *what)
{
    app_request q = {{size[0], size[1]}, {size[2], size[3]}, NULL, 0, NULL, 0, {0}};
    char error[APP_ERROR];
    app_case *c = a->prepare(&q, error);
    uint32_t run;
    CHECK_MSG(c, "%s: %s", a->name, error);
    c->scenario = s;
    CHECK_MSG(!s->build(c, ctx), "%s: %s", a->name, c->error);
    for (run = 0; run < 3; run++) {
        CHECK_MSG(!run || !s->reset(c), "%s: %s", a->name, c->error);
        CHECK_MSG(!s->engine->run(c), "%s/%s: %s", a->name, s->engine->name, c->error);
        CHECK_MSG(!a->read(c) && !a->reference(c), "%s: %s", a->name, c->error);
        CHECK_MSG(!a->check(c), "%s %llux%llu in %llux%llu, %s, run %u: %s", a->name, (unsigned long long)size[0],
                  (unsigned long long)size[1], (unsigned long long)size[2], (unsigned long long)size[3], what, run,
                  c->error);
    }
    a->free(c);
}

static void run_apps(heddle_ctx *ctx, const char *what)
{
    static uint64_t seed = 31;
    const app_scenario *s;
    size_t i, k;
    for (i = 0; app_list[i]; i++)
        for (k = 0; k < N_SIZES; k++)
            if (fits(app_list[i], sizes[k]))
                for (s = app_list[i]->scenarios; s->engine; s++)
                    if (check_takes(&seed))
                        run_case(app_list[i], s, sizes[k], ctx, what);
}

static void run_config(heddle_schedule schedule, heddle_policy policy, uint32_t n_workers, uint32_t n_local)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    char what[96];
    cfg.backend = HEDDLE_CPU;
    cfg.schedule = schedule;
    cfg.expert.policy = policy;
    cfg.n_workers = n_workers;
    cfg.expert.n_local = n_local; /* 1: a worker polls its ring after each kept task */
    cfg.idle = n_local ? HEDDLE_IDLE_POLITE : HEDDLE_IDLE_LATENCY;
    snprintf(what, sizeof what, "%s, policy %s, %u workers%s", heddle_schedule_name(schedule),
             heddle_policy_name(policy), n_workers, n_local ? ", polite" : "");
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    run_apps(ctx, what);
    heddle_ctx_close(ctx);
}

int main(void)
{
    int p;
    size_t i, w;
    for (i = 0; i < N_WORKER_SCHEDULES; i++)
        for (p = 0; p < (has_policies(worker_schedules[i]) ? HEDDLE_N_POLICIES : 1); p++)
            for (w = 0; w < sizeof worker_counts / sizeof worker_counts[0]; w++)
                run_config(worker_schedules[i], (heddle_policy)p, worker_counts[w], 0);
    for (p = 1; p < HEDDLE_N_POLICIES; p++)
        run_config(HEDDLE_SCHEDULE_RINGS, (heddle_policy)p, 3, 1);
    return 0;
}
