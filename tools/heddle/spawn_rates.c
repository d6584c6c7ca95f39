/* SPDX-License-Identifier: MIT */
/* spawn_rates.c - of `heddle bench spawn`: how many empty tasks are spawned and run in a second, and how long many tasks take that take
 * time, on a GPU beside a kernel for each. */
#include "bench_spawn.h"

#include <pthread.h>

#define BLOCK_BITS 2u /* a task has so many times as many blocks as there are tasks, in bits */
#define N_THREADS 8u

/* ---- empty tasks ------------------------------------------------------------------------------------------------------- */

static int wait_each(spawning *b, uint32_t n)
{
    heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; i < n && s == HEDDLE_OK; i++)
        s = heddle_pool_wait(b->pool, b->handles[i], HEDDLE_FOREVER, NULL);
    return spawning_said(s);
}

/* handles: NULL, or n of them. */
static int spawn_n(spawning *b, uint32_t n, heddle_handle *handles)
{
    heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; i < n && s == HEDDLE_OK; i++)
        s = heddle_pool_spawn(b->pool, spawn_empty, &b->args[i], sizeof *b->args, SPAWN_TEAM,
                              handles ? &handles[i] : NULL);
    return spawning_said(s);
}

static int run_spawn(spawning *b) { return spawn_n(b, b->n, NULL) || spawning_wait_all(b); }
static int run_many(spawning *b)
{
    return spawning_many(b, spawn_empty, b->n, SPAWN_TEAM, NULL) || spawning_wait_all(b);
}

static int run_with_handles(spawning *b, int one_by_one)
{
    for (uint32_t k = 0; k < b->n; k += b->n_busy) {
        const uint32_t n = b->n - k < b->n_busy ? b->n - k : b->n_busy;
        if (one_by_one ? spawn_n(b, n, b->handles) : spawning_many(b, spawn_empty, n, SPAWN_TEAM, b->handles))
            return CLI_BAD;
        if (wait_each(b, n))
            return CLI_BAD;
    }
    return CLI_OK;
}
static int run_spawn_waited(spawning *b) { return run_with_handles(b, 1); }
static int run_many_waited(spawning *b) { return run_with_handles(b, 0); }

static void *spawn_share(void *arg)
{
    spawning *b = arg;
    return spawning_many(b, spawn_empty, b->n / N_THREADS, SPAWN_TEAM, NULL) ? b : NULL;
}

static int run_threads(spawning *b)
{
    pthread_t threads[N_THREADS];
    uint32_t n = 0;
    void *failed;
    int status = CLI_OK;
    while (n < N_THREADS && !pthread_create(&threads[n], NULL, spawn_share, b))
        n++;
    if (n < N_THREADS)
        status = cli_bad("a thread cannot be started");
    while (n > 0)
        if (pthread_join(threads[--n], &failed) || failed)
            status = CLI_BAD;
    return status || spawning_wait_all(b);
}

static uint32_t block_bits(const spawning *b)
{
    uint32_t bits = BLOCK_BITS;
    while (b->n >> (bits - BLOCK_BITS + 1u))
        bits++;
    return bits;
}

/* One task of very many blocks. */
static int run_blocks(spawning *b)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = spawn_empty;
    t.args = b->args;
    t.arg_bytes = sizeof *b->args;
    t.team_size = SPAWN_TEAM;
    t.n_blocks = 1u << block_bits(b);
    return spawning_said(heddle_pool_spawn_task(b->pool, &t, NULL)) || spawning_wait_all(b);
}

/* n: tasks, or blocks, of a run. */
static int time_rate(spawning *b, const char *what, uint32_t n, const char *unit, int (*run)(spawning *b))
{
    if (run(b))
        return CLI_BAD;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        const double begin = spawning_now_us();
        if (run(b))
            return CLI_BAD;
        b->times[i] = n / (spawning_now_us() - begin);
    }
    spawning_row(b, what, n, b->times, b->n_runs, unit);
    return CLI_OK;
}

int spawning_rates(spawning *b)
{
    char blocks[64];
    snprintf(blocks, sizeof blocks, "a task of 2^%u empty blocks", block_bits(b));
    return time_rate(b, "empty tasks, spawn", b->n, "Mtasks/s", run_spawn) ||
           time_rate(b, "empty tasks, spawn, each waited for", b->n, "Mtasks/s", run_spawn_waited) ||
           time_rate(b, "empty tasks, spawn_many", b->n, "Mtasks/s", run_many) ||
           time_rate(b, "empty tasks, spawn_many, each waited for", b->n, "Mtasks/s", run_many_waited) ||
           time_rate(b, "empty tasks, spawn_many by 8 threads", b->n / N_THREADS * N_THREADS, "Mtasks/s",
                     run_threads) ||
           time_rate(b, blocks, 1u << block_bits(b), "Mblocks/s", run_blocks);
}

/* ---- tasks that take time -------------------------------------------------------------------------------------------------- */

/* One run; *kernels_ms: of a kernel each, 0 without a GPU. */
static int run_busy(spawning *b, uint32_t us, double *pool_ms, double *kernels_ms)
{
    double begin = spawning_now_us();
    *kernels_ms = 0;
    if (spawning_many(b, spawn_spin, b->n_busy, SPAWN_TEAM, NULL) || spawning_wait_all(b))
        return CLI_BAD;
    *pool_ms = 1e-3 * (spawning_now_us() - begin);
    if (!b->is_gpu)
        return CLI_OK;
    begin = spawning_now_us();
    if (spawn_kernels(b->n_busy, us))
        return cli_bad("a kernel cannot be launched");
    *kernels_ms = 1e-3 * (spawning_now_us() - begin);
    return CLI_OK;
}

static void busy_row(const spawning *b, uint32_t us, const char *how, double *v, const char *unit)
{
    char what[64];
    snprintf(what, sizeof what, "tasks of %u us, %s", us, how);
    spawning_row(b, what, b->n_busy, v, b->n_runs, unit);
}

int spawning_busy(spawning *b, uint32_t us)
{
    double *pool = b->times, *kernels = pool + b->n_runs, *over = kernels + b->n_runs;
    spawning_set_us(b, b->n_busy, us);
    if (b->is_gpu && spawn_kernels(b->n_busy / 8u, us))
        return cli_bad("a kernel cannot be launched");
    for (uint32_t i = 0; i < b->n_runs; i++) {
        if (run_busy(b, us, &pool[i], &kernels[i]))
            return CLI_BAD;
        over[i] = kernels[i] / pool[i];
    }
    busy_row(b, us, "pool", pool, "ms");
    if (!b->is_gpu)
        return CLI_OK;
    busy_row(b, us, "a kernel each", kernels, "ms");
    busy_row(b, us, "a kernel each over pool", over, "x");
    return CLI_OK;
}
