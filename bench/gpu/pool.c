/* SPDX-License-Identifier: MIT */
/* pool.c - bench_pool: rates and latencies of a pool on a GPU, beside a kernel for each task. Prints a table: what, tasks, median, least,
 * most, runs, unit, mode. All tasks have 128 threads. Exit status: 0 measured, 1 something failed, 77 no GPU. */
#include "heddle/pool.h"
#include "pool_bodies.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 262144u      /* empty tasks */
#define N_BUSY 32768u  /* tasks that take time */
#define AT_ONCE 32768u /* handles that are kept */
#define RUNS 7u
#define TRIPS 2001u
#define N_BLOCKS (1u << 20)
#define N_THREADS 8u

typedef struct bench {
    heddle_ctx *ctx;
    heddle_pool *pool;
    const char *mode;
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

static void row(const bench *b, const char *what, uint32_t n_tasks, double *v, uint32_t n, const char *unit)
{
    qsort(v, n, sizeof *v, by_size);
    printf("%s\t%u\t%.4g\t%.4g\t%.4g\t%u\t%s\t%s\n", what, n_tasks, v[n / 2], v[0], v[n - 1], n, unit, b->mode);
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

/* n: tasks, or blocks, of a run. */
static void time_rate(bench *b, const char *what, uint32_t n, const char *unit, void (*run)(bench *b))
{
    double v[RUNS], begin;
    uint32_t i;
    run(b);
    for (i = 0; i < RUNS; i++) {
        begin = now_us();
        run(b);
        v[i] = n / (now_us() - begin);
    }
    row(b, what, n, v, RUNS, unit);
}

/* One task of very many blocks. */
static void spawn_blocks(bench *b)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pool_empty;
    t.args = b->args;
    t.arg_bytes = sizeof *b->args;
    t.team_size = 128;
    t.n_blocks = N_BLOCKS;
    must(!heddle_pool_spawn_task(b->pool, &t, NULL), "spawning");
    must(!heddle_pool_wait_all(b->pool, HEDDLE_FOREVER), "waiting");
}

static void *spawn_share(void *arg)
{
    bench *b = arg;
    spawn_many(b, pool_empty, N / N_THREADS, NULL);
    return NULL;
}

static void spawn_by_threads(bench *b)
{
    pthread_t threads[N_THREADS];
    uint32_t i;
    for (i = 0; i < N_THREADS; i++)
        must(!pthread_create(&threads[i], NULL, spawn_share, b), "a thread");
    for (i = 0; i < N_THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    must(!heddle_pool_wait_all(b->pool, HEDDLE_FOREVER), "waiting");
}

/* ---- one task ------------------------------------------------------------------------------------------------------------ */

/* rest_us: between two tasks, so that the GPU has been given back. */
static void time_task(bench *b, const char *what, uint32_t rest_us, uint32_t n)
{
    static double v[TRIPS];
    heddle_handle h;
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (rest_us)
            (void)nanosleep(&(struct timespec){0, 1000l * rest_us}, NULL);
        v[i] = now_us();
        must(!heddle_pool_spawn(b->pool, pool_empty, b->args, sizeof *b->args, 128, &h), "spawning");
        must(!heddle_pool_wait(b->pool, h, HEDDLE_FOREVER, NULL), "waiting");
        v[i] = now_us() - v[i];
    }
    row(b, what, 1, v, n, "us");
    row(b, "the same, 99 of 100 within", 1, &v[n * 99 / 100], 1, "us");
}

static void time_trip(bench *b)
{
    static double v[TRIPS];
    uint32_t i;
    time_task(b, "one task: spawn to wait returned", 0, TRIPS);
    time_task(b, "one task after a rest of 1 ms", 1000, 301);
    must(!pool_bare_trips(v, TRIPS), "a kernel that answers");
    row(b, "bare: a word to the GPU and back", 1, v, TRIPS, "us");
    row(b, "the same, 99 of 100 within", 1, &v[TRIPS * 99 / 100], 1, "us");
    for (i = 0; i < TRIPS; i++) {
        v[i] = now_us();
        must(!pool_launch_and_wait(), "a launch");
        v[i] = now_us() - v[i];
    }
    row(b, "one kernel: launch to synchronised", 1, v, TRIPS, "us");
    row(b, "the same, 99 of 100 within", 1, &v[TRIPS * 99 / 100], 1, "us");
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
    row(b, what, N_BUSY, pool, RUNS, "ms");
    snprintf(what, sizeof what, "tasks of %u us, a kernel each", us);
    row(b, what, N_BUSY, kernels, RUNS, "ms");
    snprintf(what, sizeof what, "tasks of %u us, a kernel each over pool", us);
    row(b, what, N_BUSY, over, RUNS, "x");
}

static void open_pool(bench *b, heddle_pool_mode mode)
{
    const pool_params params = {0};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    c.mode = mode;
    b->mode = heddle_pool_mode_name(mode);
    must(!heddle_pool_new(b->ctx, &pooled_bench, &params, sizeof params, &c, &b->pool), "a pool");
}

static void time_mode(bench *b, heddle_pool_mode mode)
{
    open_pool(b, mode);
    time_rate(b, "empty tasks, spawn", N, "Mtasks/s", spawn_each);
    time_rate(b, "empty tasks, spawn_many", N, "Mtasks/s", spawn_all);
    time_rate(b, "empty tasks, spawn_many, each waited for", N, "Mtasks/s", spawn_with_handles);
    time_rate(b, "empty tasks, spawn_many by 8 threads", N, "Mtasks/s", spawn_by_threads);
    time_rate(b, "a task of 2^20 empty blocks", N_BLOCKS, "Mblocks/s", spawn_blocks);
    time_trip(b);
    time_busy(b, 0);
    time_busy(b, 5);
    time_busy(b, 20);
    heddle_pool_free(b->pool);
}

/* The modes that are there for comparison. */
static void time_other_mode(bench *b, heddle_pool_mode mode)
{
    open_pool(b, mode);
    time_busy(b, 0);
    time_busy(b, 5);
    time_busy(b, 20);
    heddle_pool_free(b->pool);
}

int main(void)
{
    static bench b;
    uint32_t mode;
    heddle_config c = HEDDLE_CONFIG_INIT;
    if (!heddle_backend_is_present(HEDDLE_CUDA)) {
        printf("skipped: no GPU here\n");
        return 77;
    }
    c.backend = HEDDLE_CUDA;
    must(!heddle_ctx_open(&b.ctx, &c), "a context");
    printf("what\ttasks\tmedian\tleast\tmost\truns\tunit\tmode\n");
    for (mode = HEDDLE_POOL_AUTO + 1; mode < HEDDLE_N_POOL_MODES; mode++)
        (mode <= HEDDLE_POOL_LAUNCHES ? time_mode : time_other_mode)(&b, (heddle_pool_mode)mode);
    heddle_ctx_close(b.ctx);
    return 0;
}
