/* SPDX-License-Identifier: MIT */
/* bodies.c - bodies that fail and runs that are canceled: the first failure is reported with task, body and code; the
 * context stays usable, and the same graph runs again with the right result. */
#include "fault/bodies.h"

#include <pthread.h>

#define N_CHAINS 8u
#define N_LINKS 40u

/* N_CHAINS chains with one task in the middle of each that may fail. */
typedef struct rig {
    heddle_ctx *ctx;
    heddle_graph *g;
    heddle_task maybe[N_CHAINS];
    uint64_t cell[N_CELLS];
    uint32_t gate;
    fault_params params;
} rig;

static void rig_open(rig *r, heddle_ctx *ctx)
{
    fault_code_args none = {0};
    uint32_t c;
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->gate = 1;
    r->params = (fault_params){r->cell, &r->gate};
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &r->g));
    for (c = 0; c < N_CHAINS; c++) {
        CHECK_OK(ctx, fault_add_chain(r->g, c, N_LINKS));
        CHECK_OK(ctx, heddle_graph_add(r->g, fault_code, &none, sizeof none,
                                       HEDDLE_RANGES(HEDDLE_INOUT(fault_key(c), 8)), &r->maybe[c]));
        CHECK_OK(ctx, fault_add_chain(r->g, c, N_LINKS));
    }
}

static void rig_fails(rig *r, uint32_t chain, uint32_t code)
{
    fault_code_args a = {code};
    CHECK_OK(r->ctx, heddle_graph_set_args(r->g, r->maybe[chain], &a, sizeof a));
}

static void rig_check_runs(rig *r)
{
    uint32_t c;
    memset(r->cell, 0, sizeof r->cell);
    CHECK_OK(r->ctx, heddle_graph_run(r->ctx, r->g, &r->params, sizeof r->params));
    for (c = 0; c < N_CHAINS; c++)
        CHECK(r->cell[c] == fault_chain_end(fault_chain_end(0, N_LINKS), N_LINKS));
}

/* Tasks behind a failure in its chain have not run. */
static void rig_check_failed(rig *r, heddle_status s, uint32_t chain, uint32_t code)
{
    char task[32], number[32];
    const char *text = heddle_error_text(r->ctx);
    snprintf(task, sizeof task, "task %u ", r->maybe[chain]);
    snprintf(number, sizeof number, "code %u", code);
    CHECK_MSG(s == HEDDLE_EBODY, "%s", heddle_status_text(s));
    CHECK_MSG(strstr(text, task) && strstr(text, "fault_code") && strstr(text, number), "%s", text);
    CHECK(r->cell[chain] == fault_chain_end(0, N_LINKS));
}

static void test_one_fails(heddle_ctx *ctx)
{
    rig r;
    uint32_t c;
    rig_open(&r, ctx);
    for (c = 0; c < N_CHAINS; c++) {
        memset(r.cell, 0, sizeof r.cell);
        rig_fails(&r, c, 100 + c);
        rig_check_failed(&r, heddle_graph_run(ctx, r.g, &r.params, sizeof r.params), c, 100 + c);
        rig_fails(&r, c, 0);
        fault_check_usable(ctx);
        rig_check_runs(&r);
    }
    heddle_graph_free(r.g);
}

/* All chains fail: one failure is reported, and its code belongs to its task. */
static void test_first_wins(heddle_ctx *ctx)
{
    rig r;
    uint32_t c, i, n;
    rig_open(&r, ctx);
    for (c = 0; c < N_CHAINS; c++)
        rig_fails(&r, c, 100 + c);
    for (i = 0; i < 20; i++) {
        heddle_job *j;
        char tail[64];
        memset(r.cell, 0, sizeof r.cell);
        CHECK_OK(ctx, heddle_graph_submit(ctx, r.g, &r.params, sizeof r.params, &j));
        CHECK(heddle_job_wait(j, HEDDLE_FOREVER) == HEDDLE_EBODY && heddle_job_test(j) == HEDDLE_EBODY);
        for (c = n = 0; c < N_CHAINS; c++) {
            snprintf(tail, sizeof tail, "task %u (fault_code) failed with code %u", r.maybe[c], 100 + c);
            n += strstr(heddle_error_text(ctx), tail) != NULL;
        }
        CHECK_MSG(n == 1, "%s", heddle_error_text(ctx));
        heddle_job_free(j);
    }
    for (c = 0; c < N_CHAINS; c++)
        rig_fails(&r, c, 0);
    rig_check_runs(&r);
    heddle_graph_free(r.g);
}

/* A failing job in a queue of good ones touches no other. */
static void test_in_a_queue(heddle_ctx *ctx)
{
    rig r[5];
    heddle_job *j[5];
    uint32_t i;
    for (i = 0; i < 5; i++)
        rig_open(&r[i], ctx);
    rig_fails(&r[2], 3, 7);
    for (i = 0; i < 5; i++)
        CHECK_OK(ctx, heddle_graph_submit(ctx, r[i].g, &r[i].params, sizeof r[i].params, &j[i]));
    for (i = 5; i-- > 0;)
        CHECK_MSG(heddle_job_wait(j[i], HEDDLE_FOREVER) == (i == 2 ? HEDDLE_EBODY : HEDDLE_OK), "job %u", i);
    for (i = 0; i < 5; i++) {
        heddle_job_free(j[i]);
        CHECK(i == 2 || r[i].cell[1] == fault_chain_end(fault_chain_end(0, N_LINKS), N_LINKS));
        heddle_graph_free(r[i].g);
    }
}

/* A task without ranges; the largest code; the last task of a graph can fail, too. */
static void test_edges(heddle_ctx *ctx)
{
    heddle_graph *g;
    uint64_t cell[N_CELLS];
    fault_params params = {cell, NULL};
    fault_code_args a = {77};
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    CHECK_OK(ctx, heddle_graph_add(g, fault_code, &a, sizeof a, NULL, 0, NULL));
    CHECK(heddle_graph_run(ctx, g, &params, sizeof params) == HEDDLE_EBODY);
    a.code = 0xffffffffu;
    CHECK_OK(ctx, heddle_graph_set_args(g, 0, &a, sizeof a));
    CHECK(heddle_graph_run(ctx, g, &params, sizeof params) == HEDDLE_EBODY &&
          strstr(heddle_error_text(ctx), "4294967295"));
    heddle_graph_free(g);
}

/* ---- cancelling ------------------------------------------------------------------------------------------------ */

static void *cancel_late(void *arg)
{
    sched_yield();
    heddle_job_cancel(arg);
    return NULL;
}

/* After a canceled run each chain is somewhere along its links; the next run is complete. */
static void check_part_way(rig *r)
{
    uint64_t x = 0;
    uint32_t c, i, hits;
    for (c = 0; c < N_CHAINS; c++) {
        for (x = i = hits = 0; i <= 2 * N_LINKS; i++) {
            hits += x == r->cell[c];
            x = x * 3 + i % N_LINKS;
        }
        CHECK_MSG(hits, "chain %u stands at no link", c);
    }
}

static void cancel_once(rig *r, uint64_t *seed, uint32_t *n_cancelled)
{
    struct timespec ts = {0, (long)check_below(seed, 60000)};
    heddle_status s;
    heddle_job *j;
    pthread_t thread;
    int other = (int)check_below(seed, 2);
    memset(r->cell, 0, sizeof r->cell);
    CHECK_OK(r->ctx, heddle_graph_submit(r->ctx, r->g, &r->params, sizeof r->params, &j));
    if (other)
        CHECK(pthread_create(&thread, NULL, cancel_late, j) == 0);
    else if (check_below(seed, 4))
        nanosleep(&ts, NULL);
    if (!other)
        heddle_job_cancel(j);
    s = heddle_job_wait(j, HEDDLE_FOREVER);
    CHECK_MSG(s == HEDDLE_ECANCELED || s == HEDDLE_OK, "%s", heddle_status_text(s));
    CHECK(s == HEDDLE_OK || strlen(heddle_error_text(r->ctx)) > 10);
    if (other)
        CHECK(pthread_join(thread, NULL) == 0);
    heddle_job_cancel(j); /* too late: nothing changes */
    CHECK(heddle_job_test(j) == s);
    check_part_way(r);
    *n_cancelled += s == HEDDLE_ECANCELED;
    heddle_job_free(j);
}

static void test_cancel(heddle_ctx *ctx, uint64_t *seed)
{
    rig r;
    uint32_t i, n = 0;
    rig_open(&r, ctx);
    for (i = 0; i < 300; i++) {
        cancel_once(&r, seed, &n);
        if (i % 3 == 0)
            rig_check_runs(&r);
    }
    rig_check_runs(&r);
    printf("%u of 300 runs were cancelled before their end\n", n);
    heddle_graph_free(r.g);
    heddle_job_cancel(NULL);
}

static void test_context(heddle_config *c, uint64_t *seed, int cancels)
{
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, c));
    test_one_fails(ctx);
    test_first_wins(ctx);
    test_in_a_queue(ctx);
    test_edges(ctx);
    if (cancels)
        test_cancel(ctx, seed);
    heddle_ctx_close(ctx);
}

int main(void)
{
    uint64_t seed = check_seed(20260104);
    heddle_config c = HEDDLE_CONFIG_INIT;
    uint32_t p, w;
    c.backend = HEDDLE_SERIAL;
    test_context(&c, &seed, 0);
    c.backend = HEDDLE_CPU;
    for (p = 1; p < HEDDLE_N_POLICIES; p++)
        for (w = 1; w <= 4; w += w) {
            c.expert.policy = (heddle_policy)p;
            c.n_workers = w;
            c.expert.n_ring = p == 2 ? 1 : 0;
            test_context(&c, &seed, 1);
        }
    return 0;
}
