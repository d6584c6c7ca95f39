/* SPDX-License-Identifier: MIT */
/* reconfigure.c - an open context changes its config: memory and graphs stay and give the same results, plans stay. A
 * refused config or a failing allocation changes nothing. */
#include "base/base.h"
#include "fault/bodies.h"
#include "schedules.h"

typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *g;
    uint64_t *cell; /* of the context */
    uint32_t gate;
    uint64_t want;
} rig;

static heddle_config config_of(heddle_schedule d, uint32_t n_workers)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.schedule = d;
    c.n_workers = n_workers;
    return c;
}

static void rig_open(rig *r, heddle_backend b)
{
    void *p;
    uint32_t i;
    memset(r, 0, sizeof *r);
    r->gate = 1;
    r->ctx = fault_open(b, 0);
    CHECK_OK(r->ctx, heddle_mem_new(r->ctx, N_CELLS * 8, &p));
    r->cell = p;
    memset(p, 0, N_CELLS * 8);
    CHECK_OK(r->ctx, heddle_graph_new(r->ctx, &fault, &r->g));
    for (i = 0; i < N_CELLS; i++)
        CHECK_OK(r->ctx, fault_add_chain(r->g, i, 20));
}

static void rig_close(rig *r)
{
    heddle_graph_free(r->g);
    heddle_mem_free(r->ctx, r->cell);
    heddle_ctx_close(r->ctx);
}

static void run(rig *r)
{
    fault_params params = {r->cell, &r->gate};
    uint32_t i;
    CHECK_OK(r->ctx, heddle_graph_run(r->ctx, r->g, &params, sizeof params));
    r->want = fault_chain_end(r->want, 20);
    for (i = 0; i < N_CELLS; i++)
        CHECK_MSG(r->cell[i] == r->want, "cell %u", i);
}

static uint32_t workers_of(rig *r)
{
    heddle_stats st = HEDDLE_STATS_INIT;
    CHECK_OK(r->ctx, heddle_graph_get_stats(r->g, &st));
    return st.n_workers;
}

/* The context's config must be as requested. */
static void check_config(rig *r, const heddle_config *c)
{
    heddle_config got = HEDDLE_CONFIG_INIT;
    CHECK_OK(r->ctx, heddle_ctx_get_config(r->ctx, &got));
    CHECK(got.schedule == c->schedule && got.n_workers == c->n_workers && got.n_trace == c->n_trace);
}

static void test_cpu(void)
{
    heddle_stats st = HEDDLE_STATS_INIT;
    rig r;
    uint32_t i;
    rig_open(&r, HEDDLE_CPU);
    run(&r);
    for (i = 0; i < 12; i++) {
        heddle_config c = config_of(worker_schedules[i % N_WORKER_SCHEDULES], 1 + i % 5);
        c.n_trace = i % 2 ? 2000 : 0;
        CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
        check_config(&r, &c);
        CHECK(heddle_graph_get_stats(r.g, &st) == HEDDLE_EINVAL && !strcmp(heddle_graph_describe_run(r.g), ""));
        run(&r);
        run(&r);
        CHECK(workers_of(&r) == c.n_workers);
        CHECK_MSG(strstr(heddle_graph_describe_run(r.g), heddle_schedule_name(c.schedule)), "%s",
                  heddle_graph_describe_run(r.g));
        CHECK_OK(r.ctx, heddle_graph_get_stats(r.g, &st));
        CHECK(!c.n_trace == !st.n_events && st.schedule == c.schedule && st.team_size == 1);
        CHECK((st.policy != HEDDLE_POLICY_DEFAULT) == has_policies(c.schedule));
    }
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, NULL)); /* the initial config again */
    run(&r);
    rig_close(&r);
}

static void test_serial(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    rig r;
    rig_open(&r, HEDDLE_SERIAL);
    run(&r);
    c.backend = HEDDLE_SERIAL; /* the current backend may be named */
    c.team_size = 3;
    c.n_trace = 5000;
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    CHECK_OK(r.ctx, heddle_ctx_get_config(r.ctx, &got));
    CHECK(got.team_size == 3 && got.n_trace == 5000 && got.n_workers == 1);
    run(&r);
    c.team_size = c.n_trace = 0;
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    run(&r);
    rig_close(&r);
}

/* Several graphs, freed in any order; one never ran, one was made in between. */
static void test_graphs(void)
{
    heddle_config c = config_of(HEDDLE_SCHEDULE_TICKET, 2);
    heddle_graph *other[3];
    fault_params params;
    rig r;
    uint32_t i;
    rig_open(&r, HEDDLE_CPU);
    params = (fault_params){r.cell, &r.gate};
    for (i = 0; i < 3; i++)
        CHECK_OK(r.ctx, heddle_graph_new(r.ctx, &fault, &other[i]));
    run(&r);
    CHECK_OK(r.ctx, heddle_graph_run(r.ctx, other[2], &params, sizeof params));
    heddle_graph_free(other[1]);
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    CHECK_OK(r.ctx, heddle_graph_run(r.ctx, other[2], &params, sizeof params));
    run(&r);
    heddle_graph_free(other[2]);
    CHECK_OK(r.ctx, heddle_graph_new(r.ctx, &fault, &other[1]));
    c.n_workers = 3;
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    run(&r);
    heddle_graph_free(other[0]);
    heddle_graph_free(other[1]);
    rig_close(&r);
}

/* The plan stays: with another number of workers its run is refused, with the same number it runs. */
static void test_plan(void)
{
    heddle_config c = config_of(HEDDLE_SCHEDULE_STATIC, 3);
    fault_params params;
    rig r;
    rig_open(&r, HEDDLE_CPU);
    params = (fault_params){r.cell, &r.gate};
    CHECK_OK(r.ctx, heddle_graph_replan(r.g, 2));
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    CHECK(heddle_graph_run(r.ctx, r.g, &params, sizeof params) == HEDDLE_EINVAL);
    c.n_workers = 2;
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
    run(&r);
    rig_close(&r);
}

static void refuse(rig *r, const heddle_config *c, heddle_status s, const char *word)
{
    heddle_config before = HEDDLE_CONFIG_INIT, after = HEDDLE_CONFIG_INIT;
    CHECK_OK(r->ctx, heddle_ctx_get_config(r->ctx, &before));
    CHECK(heddle_ctx_reconfigure(r->ctx, c) == s);
    CHECK_MSG(strstr(heddle_error_text(r->ctx), word), "%s", heddle_error_text(r->ctx));
    CHECK_OK(r->ctx, heddle_ctx_get_config(r->ctx, &after));
    CHECK(!memcmp(&before, &after, sizeof before));
    run(r);
}

static void test_refusals(heddle_backend b)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    rig r;
    rig_open(&r, b);
    run(&r);
    c.backend = b == HEDDLE_CPU ? HEDDLE_SERIAL : HEDDLE_CPU;
    refuse(&r, &c, HEDDLE_EINVAL, "stays so");
    c.backend = (heddle_backend)9;
    refuse(&r, &c, HEDDLE_EINVAL, "backend 9 is unknown");
    c.backend = b;
    c.device = 1;
    refuse(&r, &c, HEDDLE_EINVAL, "stays so");
    c.device = 0;
    c.schedule = HEDDLE_SCHEDULE_LEVELS;
    refuse(&r, &c, HEDDLE_EINVAL, "schedule levels: backend");
    c.schedule = HEDDLE_SCHEDULE_AUTO;
    c.n_workers = 5000;
    refuse(&r, &c, HEDDLE_ERANGE, "5000 workers");
    c.size = 1;
    refuse(&r, &c, HEDDLE_EINVAL, "HEDDLE_CONFIG_INIT");
    CHECK(heddle_ctx_reconfigure(NULL, &c) == HEDDLE_EINVAL);
    rig_close(&r);
}

static void test_variable(void)
{
    rig r;
    rig_open(&r, HEDDLE_CPU);
    setenv("HEDDLE_SCHEDULE", "nowhere", 1);
    refuse(&r, NULL, HEDDLE_EINVAL, "HEDDLE_SCHEDULE=nowhere");
    setenv("HEDDLE_SCHEDULE", "ticket", 1);
    CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, NULL));
    unsetenv("HEDDLE_SCHEDULE");
    run(&r);
    CHECK(strstr(heddle_graph_describe_run(r.g), "ticket"));
    rig_close(&r);
}

/* Refused while a run is in flight; a run that has ended without a wait is concluded. */
static void test_busy(void)
{
    heddle_config c = config_of(HEDDLE_SCHEDULE_RINGS, 4);
    fault_nap_args none = {0};
    heddle_graph *waiting;
    heddle_job *j;
    fault_params params;
    rig r;
    rig_open(&r, HEDDLE_CPU);
    params = (fault_params){r.cell, &r.gate};
    CHECK_OK(r.ctx, heddle_graph_new(r.ctx, &fault, &waiting));
    CHECK_OK(r.ctx, heddle_graph_add(waiting, fault_gate, &none, sizeof none, NULL, 0, NULL));
    run(&r);
    r.gate = 0;
    CHECK_OK(r.ctx, heddle_graph_submit(r.ctx, waiting, &params, sizeof params, &j));
    CHECK(heddle_ctx_reconfigure(r.ctx, &c) == HEDDLE_EBUSY);
    CHECK(strstr(heddle_error_text(r.ctx), "in flight"));
    CHECK(heddle_job_test(j) == HEDDLE_EBUSY);
    __atomic_store_n(&r.gate, 1, __ATOMIC_RELEASE);
    while (heddle_ctx_reconfigure(r.ctx, &c) == HEDDLE_EBUSY)
        sched_yield();
    check_config(&r, &c);
    CHECK_OK(r.ctx, heddle_job_wait(j, HEDDLE_FOREVER));
    heddle_job_free(j);
    run(&r);
    heddle_graph_free(waiting);
    rig_close(&r);
}

/* Each allocation fails once: the context is unchanged, and its graphs still run. */
static void test_memory(heddle_backend b, uint32_t team_size)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_status s = HEDDLE_ENOMEM;
    uint64_t n, held;
    rig r;
    c.team_size = team_size;
    c.n_workers = b == HEDDLE_CPU ? 7 : 0;
    rig_open(&r, b);
    for (n = 1; s != HEDDLE_OK; n++) {
        run(&r);
        held = hd_held_bytes();
        hd_fail_alloc_at(n);
        s = heddle_ctx_reconfigure(r.ctx, &c);
        hd_fail_alloc_at(0);
        CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_ENOMEM, "%s", heddle_error_text(r.ctx));
        CHECK_MSG(s == HEDDLE_OK || hd_held_bytes() == held, "failure %u changed what is held", (unsigned)n);
        CHECK(s == HEDDLE_OK || workers_of(&r) > 0); /* loaded graphs stay loaded */
    }
    CHECK(n > 2);
    run(&r);
    rig_close(&r);
}

int main(void)
{
    test_cpu();
    test_serial();
    test_graphs();
    test_plan();
    test_refusals(HEDDLE_SERIAL);
    test_refusals(HEDDLE_CPU);
    test_variable();
    test_busy();
    test_memory(HEDDLE_SERIAL, 3);
    test_memory(HEDDLE_CPU, 0);
    CHECK(hd_held_bytes() == 0);
    return 0;
}
