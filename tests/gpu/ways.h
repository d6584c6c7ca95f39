/* SPDX-License-Identifier: MIT */
/* ways.h - all ways in which the cuda backend can run a graph: schedules, policies, numbers of workers, by body. A
 * context is opened when its way is first used and stays open: that several are open is part of the test. */
#ifndef WAYS_H
#define WAYS_H

#include "check.h"
#include "heddle.h"
#include "schedules.h"

#include <string.h>

#define MAX_WAYS 160u

typedef struct way {
    heddle_config config;
    heddle_ctx *ctx;
    char name[96];
} way;

typedef struct ways {
    way all[MAX_WAYS];
    uint32_t n;
} ways;

/* Skips the test without a GPU. */
static inline void ways_need_gpu(void)
{
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
}

static inline void ways_name(way *w)
{
    const heddle_config *c = &w->config;
    snprintf(w->name, sizeof w->name, "%s %s, %u workers of %u threads%s%s", heddle_schedule_name(c->schedule),
             heddle_policy_name(c->expert.policy), c->n_workers, c->team_size,
             c->expert.by_body == 1   ? ", by body"
             : c->expert.by_body == 2 ? ", one launch a level"
                                      : "",
             c->n_trace ? ", traced" : "");
}

static inline void ways_add(ways *w, heddle_schedule s, heddle_policy p, uint32_t n_workers, uint32_t by_body)
{
    static const uint32_t threads[] = {0, 32, 128, 0, 64, 160}; /* heat has room for no more */
    heddle_config c = HEDDLE_CONFIG_INIT;
    CHECK(w->n < MAX_WAYS);
    c.backend = HEDDLE_CUDA;
    c.schedule = s;
    c.expert.policy = p;
    c.n_workers = n_workers;
    c.team_size = threads[w->n % (sizeof threads / sizeof threads[0])];
    c.expert.by_body = by_body;
    c.time_limit_ms = 20000;
    c.n_trace = w->n % 2 ? 1024 : 0;
    w->all[w->n].config = c;
    ways_name(&w->all[w->n++]);
}

static inline void ways_add_workers(ways *w, uint32_t n_workers)
{
    uint32_t p;
    size_t i;
    for (i = 0; i < N_WORKER_SCHEDULES; i++)
        for (p = 0; p < HEDDLE_N_POLICIES; p++)
            if (p ? takes_policy(worker_schedules[i], (heddle_policy)p) : !has_policies(worker_schedules[i]))
                ways_add(w, worker_schedules[i], (heddle_policy)p, n_workers, 0);
}

static inline void ways_add_launches(ways *w)
{
    uint32_t by_body;
    for (by_body = 0; by_body <= 2; by_body++) {
        ways_add(w, HEDDLE_SCHEDULE_LEVELS, HEDDLE_POLICY_DEFAULT, 0, by_body);
        ways_add(w, HEDDLE_SCHEDULE_LEVELS_SYNC, HEDDLE_POLICY_DEFAULT, 0, by_body);
        ways_add(w, HEDDLE_SCHEDULE_GRAPH, HEDDLE_POLICY_DEFAULT, 0, by_body);
        ways_add(w, HEDDLE_SCHEDULE_GRAPH_PDL, HEDDLE_POLICY_DEFAULT, 0, by_body);
    }
    ways_add(w, HEDDLE_SCHEDULE_TASKGRAPH, HEDDLE_POLICY_DEFAULT, 0, 0);
    ways_add(w, HEDDLE_SCHEDULE_AUTO, HEDDLE_POLICY_DEFAULT, 0, 0);
}

/* few: two numbers of workers, both small, for tools that slow each access a hundredfold. */
static inline void ways_make(ways *w, int few)
{
    static const uint32_t n_workers[2][4] = {{1, 2, 7, 0}, {2, 5}};
    uint32_t i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < (few ? 2u : 4u); i++)
        ways_add_workers(w, n_workers[few][i]);
    ways_add_launches(w);
}

static inline heddle_ctx *ways_open(way *w)
{
    if (!w->ctx)
        CHECK_OK(NULL, heddle_ctx_open(&w->ctx, &w->config));
    return w->ctx;
}

static inline void ways_close(ways *w)
{
    uint32_t i;
    for (i = 0; i < w->n; i++)
        heddle_ctx_close(w->all[i].ctx);
}

#endif
