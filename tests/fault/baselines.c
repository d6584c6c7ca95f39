/* SPDX-License-Identifier: MIT */
/* baselines.c - a table compiled without the papers' dispatches: a run that asks for one of them is refused with a
 * sentence, the others work. */
#undef HEDDLE_BASELINES
#include "check.h"
#include "heddle/task.h"

#include <string.h>

typedef struct plain_params {
    uint32_t *ran;
} plain_params;
typedef struct plain_args {
    uint32_t at;
} plain_args;

#define PLAIN_BODIES(X) X(plain_mark, 0)
HEDDLE_ENUM(plain, PLAIN_BODIES)

HEDDLE_BODY(plain_mark, plain_params, params, plain_args, a) { params->ran[a->at]++; }

HEDDLE_TABLE(plain, plain_params, PLAIN_BODIES)

#define N 20u

static heddle_status run(heddle_schedule schedule, heddle_policy policy, uint32_t *ran)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    plain_params params = {ran};
    heddle_status s;
    cfg.backend = HEDDLE_CPU;
    cfg.n_workers = 2;
    cfg.schedule = schedule;
    cfg.expert.policy = policy;
    memset(ran, 0, N * sizeof *ran);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    CHECK_OK(ctx, heddle_graph_new(ctx, &plain, &g));
    for (uint32_t i = 0; i < N; i++)
        CHECK_OK(ctx, heddle_graph_add(g, plain_mark, &(plain_args){i}, sizeof(plain_args), NULL, 0, NULL));
    s = heddle_graph_run(ctx, g, &params, sizeof params);
    CHECK(s == HEDDLE_OK || strstr(heddle_error_text(ctx), "HEDDLE_BASELINES"));
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    return s;
}

int main(void)
{
    static const heddle_schedule papers[] = {HEDDLE_SCHEDULE_IQS, HEDDLE_SCHEDULE_SCHEDULER, HEDDLE_SCHEDULE_CENTRAL};
    static const heddle_schedule own[] = {HEDDLE_SCHEDULE_AUTO, HEDDLE_SCHEDULE_TICKET, HEDDLE_SCHEDULE_STATIC};
    uint32_t ran[N];
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(run(papers[i], HEDDLE_POLICY_DEFAULT, ran) == HEDDLE_ENODEV);
        CHECK(run(own[i], HEDDLE_POLICY_DEFAULT, ran) == HEDDLE_OK);
        for (uint32_t k = 0; k < N; k++)
            CHECK(ran[k] == 1);
    }
    CHECK(run(HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_LRR, ran) == HEDDLE_ENODEV);
    CHECK(run(HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_SHARE, ran) == HEDDLE_OK);
    return 0;
}
