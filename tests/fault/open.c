/* SPDX-License-Identifier: MIT */
/* open.c - contexts are opened and closed a thousand times, many at once, with more workers than cores, from several
 * threads; no memory and no thread is left behind. */
#include "base/base.h"
#include "fault/bodies.h"

#include <dirent.h>
#include <pthread.h>
#include <time.h>

static uint32_t n_threads_now(void)
{
    DIR *d = opendir("/proc/self/task");
    uint32_t n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void test_again_and_again(void)
{
    uint64_t held = hd_held_bytes(), i;
    uint32_t threads;
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx_close(fault_open(HEDDLE_CPU, 1)); /* with the first thread, sanitizers start one of their own */
    threads = n_threads_now();
    for (i = 0; i < 1000; i++) {
        heddle_ctx *ctx;
        c.backend = i % 3 ? HEDDLE_CPU : HEDDLE_SERIAL;
        c.n_workers = 1 + (uint32_t)i % 4;
        c.team_size = i % 3 || i % 4 ? 0 : 3;
        CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
        if (i % 10 == 0)
            fault_check_usable(ctx);
        heddle_ctx_close(ctx);
    }
    CHECK(hd_held_bytes() == held);
    /* For a moment the kernel may count one that was joined. */
    for (i = 0; i < 10000 && n_threads_now() != threads; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK_MSG(n_threads_now() == threads, "%u threads, there were %u", n_threads_now(), threads);
}

static void test_many_at_once(void)
{
    heddle_ctx *ctx[40];
    uint32_t i;
    for (i = 0; i < 40; i++)
        ctx[i] = fault_open(i % 2 ? HEDDLE_CPU : HEDDLE_SERIAL, 2);
    for (i = 0; i < 40; i++)
        fault_check_usable(ctx[i]);
    for (i = 0; i < 40; i++)
        heddle_ctx_close(ctx[(i * 7) % 40]);
}

static void test_workers(uint32_t n_workers)
{
    heddle_config c = HEDDLE_CONFIG_INIT, got = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint32_t p;
    for (p = 1; p < HEDDLE_N_POLICIES; p++) {
        c.backend = HEDDLE_CPU;
        c.n_workers = n_workers;
        c.expert.policy = (heddle_policy)p;
        c.expert.n_ring = 2;
        CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
        CHECK_OK(ctx, heddle_ctx_get_config(ctx, &got));
        CHECK(got.n_workers == n_workers && got.expert.policy == c.expert.policy);
        fault_check_usable(ctx);
        heddle_ctx_close(ctx);
    }
}

static void *open_and_run(void *arg)
{
    uint32_t i;
    (void)arg;
    for (i = 0; i < 50; i++) {
        heddle_ctx *ctx = fault_open(HEDDLE_CPU, 2);
        heddle_ctx *none = NULL;
        heddle_config bad = HEDDLE_CONFIG_INIT;
        bad.n_workers = 5000 + i;
        fault_check_usable(ctx);
        CHECK(heddle_ctx_open(&none, &bad) == HEDDLE_ERANGE &&
              strstr(heddle_error_text(NULL), "5")); /* this thread's sentence */
        heddle_ctx_close(ctx);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t thread[4];
    uint32_t i;
    for (i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, open_and_run, NULL) == 0);
    for (i = 0; i < 4; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

/* A graph without tasks runs, and so does a graph with empty bodies only. */
static void test_nothing_to_do(void)
{
    uint64_t cell[N_CELLS] = {0};
    fault_params params = {cell, NULL};
    uint32_t b, i;
    for (b = HEDDLE_SERIAL; b <= HEDDLE_CPU; b++) {
        heddle_ctx *ctx = fault_open((heddle_backend)b, 3);
        heddle_stats st = HEDDLE_STATS_INIT;
        heddle_graph *g;
        heddle_job *j;
        CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
        for (i = 0; i < 20; i++)
            CHECK_OK(ctx, heddle_graph_run(ctx, g, &params, sizeof params));
        CHECK_OK(ctx, heddle_graph_submit(ctx, g, &params, sizeof params, &j));
        CHECK_OK(ctx, heddle_job_wait(j, HEDDLE_FOREVER));
        CHECK_OK(ctx, heddle_graph_get_stats(g, &st));
        CHECK(st.n_tasks == 0);
        heddle_job_free(j);
        heddle_graph_free(g);
        heddle_ctx_close(ctx);
    }
}

int main(void)
{
    test_again_and_again();
    test_many_at_once();
    test_workers(64);
    test_workers(7);
    test_workers(300);
    test_threads();
    test_nothing_to_do();
    return 0;
}
