/* SPDX-License-Identifier: MIT */
/* pool.c - bench_pool: rates and latencies of a pool on a GPU, beside a kernel for each task. Prints a table: what, tasks, median, least,
 * most, runs, unit. All tasks have 128 threads. Exit status: 0 measured, 1 something failed, 77 no GPU. */
#include "heddle/pool.h"
#include "pool_bodies.h"

#include <stdio.h>
#include <stdlib.h>

#define N 262144u      /* empty tasks */
#define N_BUSY 32768u  /* tasks that take time */
#define AT_ONCE 32768u /* handles that are kept */
#define RUNS 7u
#define TRIPS 2001u

typedef struct bench {
    heddle_ctx *ctx;
    heddle_pool *pool;
    pool_spin_args args[N];
    heddle_handle handles[AT_ONCE];
} bench;

static void must(int ok, const char *what)
{
    if (ok)
        return;
    printf("%s: %s\n", what, heddle_error_text(NULL));
    exit(1);
}

static double now_us(void) { return 1e-3 * (double)heddle_host_clock_ns(); }

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void row(const char *what, uint32_t n_tasks, double *v, uint32_t n, const char *unit)
{
    qsort(v, n, sizeof *v, by_size);
    printf("%s\t%u\t%.4g\t%.4g\t%.4g\t%u\t%s\n", what, n_tasks, v[n / 2], v[0], v[n - 1], n, unit);
    fflush(stdout);
}

/* ---- empty tasks ------------------------------------------------------------------------------------------------------- */

static void spawn_each(bench *b)
{
    uint32_t i;
    for (i = 0; i < N; i++)
        must(!heddle_pool_spawn(b->pool, pool_empty, &b->args[i], sizeof b->args[i], 128, NULL), "spawning");
    must(!heddle_pool_wait_all(b->pool, HEDDLE_FOREVER), "waiting");
}

static void spawn_many(bench *b, uint32_t body, uint32_t n, heddle_handle *handles)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = body;
    t.arg_bytes = sizeof *b->args;
    t.team_size = 128;
    must(!heddle_pool_spawn_many(b->pool, &t, b->args, sizeof *b->args, n, handles, NULL), "spawning");
}

static void spawn_all(bench *b)
{
    spawn_many(b, pool_empty, N, NULL);
    must(!heddle_pool_wait_all(b->pool, HEDDLE_FOREVER), "waiting");
}

static void spawn_with_handles(bench *b)
{
    uint32_t k, i;
    for (k = 0; k < N; k += AT_ONCE) {
        spawn_many(b, pool_empty, AT_ONCE, b->handles);
        for (i = 0; i < AT_ONCE; i++)
            must(!heddle_pool_wait(b->pool, b->handles[i], HEDDLE_FOREVER, NULL), "waiting");
    }
}

static void time_rate(bench *b, const char *what, void (*run)(bench *b))
{
    double v[RUNS], begin;
    uint32_t i;
    run(b);
    for (i = 0; i < RUNS; i++) {
        begin = now_us();
        run(b);
        v[i] = N / (now_us() - begin);
    }
    row(what, N, v, RUNS, "Mtasks/s");
}

/* ---- one task ------------------------------------------------------------------------------------------------------------ */

static void time_trip(bench *b)
{
    static double v[TRIPS];
    heddle_handle h;
    uint32_t i;
    for (i = 0; i < TRIPS; i++) {
        v[i] = now_us();
        must(!heddle_pool_spawn(b->pool, pool_empty, b->args, sizeof *b->args, 128, &h), "spawning");
        must(!heddle_pool_wait(b->pool, h, HEDDLE_FOREVER, NULL), "waiting");
        v[i] = now_us() - v[i];
    }
    row("one task: spawn to wait returned", 1, v, TRIPS, "us");
    row("the same, 99 of 100 within", 1, &v[TRIPS * 99 / 100], 1, "us");
    for (i = 0; i < TRIPS; i++) {
        v[i] = now_us();
        must(!pool_launch_and_wait(), "a launch");
        v[i] = now_us() - v[i];
    }
    row("one kernel: launch to synchronised", 1, v, TRIPS, "us");
    row("the same, 99 of 100 within", 1, &v[TRIPS * 99 / 100], 1, "us");
}

/* ---- tasks that take time -------------------------------------------------------------------------------------------------- */

static void time_busy(bench *b, uint32_t us)
{
    double pool[RUNS], kernels[RUNS], over[RUNS], begin;
    char what[64];
    uint32_t i;
    for (i = 0; i < N_BUSY; i++)
        b->args[i].us = us;
    must(!pool_kernels(N_BUSY / 8u, us), "kernels");
    for (i = 0; i < RUNS; i++) {
        begin = now_us();
        spawn_many(b, pool_spin, N_BUSY, NULL);
        must(!heddle_pool_wait_all(b->pool, HEDDLE_FOREVER), "waiting");
        pool[i] = 1e-3 * (now_us() - begin);
        begin = now_us();
        must(!pool_kernels(N_BUSY, us), "kernels");
        kernels[i] = 1e-3 * (now_us() - begin);
        over[i] = kernels[i] / pool[i];
    }
    snprintf(what, sizeof what, "tasks of %u us, pool", us);
    row(what, N_BUSY, pool, RUNS, "ms");
    snprintf(what, sizeof what, "tasks of %u us, a kernel each", us);
    row(what, N_BUSY, kernels, RUNS, "ms");
    snprintf(what, sizeof what, "tasks of %u us, a kernel each over pool", us);
    row(what, N_BUSY, over, RUNS, "x");
}

int main(void)
{
    static bench b;
    const pool_params params = {0};
    heddle_config c = HEDDLE_CONFIG_INIT;
    if (!heddle_backend_is_present(HEDDLE_CUDA)) {
        printf("skipped: no GPU here\n");
        return 77;
    }
    c.backend = HEDDLE_CUDA;
    must(!heddle_ctx_open(&b.ctx, &c), "a context");
    must(!heddle_pool_new(b.ctx, &pooled_bench, &params, sizeof params, NULL, &b.pool), "a pool");
    printf("what\ttasks\tmedian\tleast\tmost\truns\tunit\n");
    time_rate(&b, "empty tasks, spawn", spawn_each);
    time_rate(&b, "empty tasks, spawn_many", spawn_all);
    time_rate(&b, "empty tasks, spawn_many, each waited for", spawn_with_handles);
    time_trip(&b);
    time_busy(&b, 0);
    time_busy(&b, 5);
    time_busy(&b, 20);
    heddle_pool_free(b.pool);
    heddle_ctx_close(b.ctx);
    return 0;
}
