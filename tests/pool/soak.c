/* SPDX-License-Identifier: MIT */
/* soak.c - very many tasks, none lost, run twice or with a torn record; and a pool that is idle again and again, on a GPU with a
 * kernel that ends at once, into which tasks come at random moments.
 *
 *     HEDDLE_TASKS     tasks of the first part (200,000)
 *     HEDDLE_STARTS    times that the pool of the second part is idle (300) */
#include "pool/bodies.h"
#include "pool/soak_bodies.h"

#include <stdio.h>

#define AT_ONCE 4096u

typedef struct rig {
    heddle_ctx *ctx;
    heddle_pool *pool;
    soaked_params params;
    uint64_t seed, n_tasks, sum;
} rig;

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static void open_rig(rig *r, heddle_backend b, uint32_t linger_us)
{
    static const soaked_cell zero[SOAKED_CELLS];
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    void *cells;
    memset(r, 0, sizeof *r);
    r->seed = check_seed(20261127);
    c.backend = b;
    c.n_workers = b == HEDDLE_CPU ? 2 : 0;
    pc.linger_us = linger_us;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    CHECK_OK(r->ctx, heddle_mem_new(r->ctx, sizeof zero, &cells));
    CHECK_OK(r->ctx, heddle_mem_write(r->ctx, cells, zero, sizeof zero));
    r->params.cells = cells;
    CHECK_OK(NULL, heddle_pool_new(r->ctx, &soaked, &r->params, sizeof r->params, &pc, &r->pool));
}

static soaked_args next_args(rig *r)
{
    soaked_args a;
    uint32_t i, x = (uint32_t)r->n_tasks, all = x;
    a.word[0] = x;
    for (i = 1; i + 1u < SOAKED_WORDS; i++)
        all ^= a.word[i] = x = x * 2654435761u + i;
    a.word[SOAKED_WORDS - 1u] = all;
    r->n_tasks++;
    r->sum += a.word[0];
    return a;
}

static void close_rig(rig *r)
{
    static soaked_cell cells[SOAKED_CELLS];
    uint64_t n = 0, torn = 0, i;
    uint32_t sum = 0;
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    heddle_pool_free(r->pool);
    CHECK_OK(r->ctx, heddle_mem_read(r->ctx, cells, r->params.cells, sizeof cells));
    for (i = 0; i < SOAKED_CELLS; i++) {
        n += cells[i].n;
        sum += cells[i].sum;
        torn += cells[i].torn;
    }
    CHECK_MSG((uint32_t)n == (uint32_t)r->n_tasks && sum == (uint32_t)r->sum && torn == 0,
              "%llu tasks: %llu ran, sum %u, not %u, %llu torn records", (unsigned long long)r->n_tasks,
              (unsigned long long)n, sum, (uint32_t)r->sum, (unsigned long long)torn);
    heddle_mem_free(r->ctx, r->params.cells);
    heddle_ctx_close(r->ctx);
}

static void soak(heddle_backend b, uint64_t n_tasks)
{
    static soaked_args args[AT_ONCE];
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    rig r;
    uint32_t i;
    open_rig(&r, b, 0);
    t.body = soaked_count;
    t.arg_bytes = sizeof *args;
    t.team_size = 32;
    while (r.n_tasks < n_tasks) {
        for (i = 0; i < AT_ONCE; i++)
            args[i] = next_args(&r);
        CHECK_OK(NULL, heddle_pool_spawn_many(r.pool, &t, args, sizeof *args, AT_ONCE, NULL, NULL));
    }
    printf("%s: %llu tasks\n", heddle_backend_name(b), (unsigned long long)r.n_tasks);
    close_rig(&r);
}

static void pause_ns(uint64_t ns)
{
    const uint64_t begin = heddle_host_clock_ns();
    while (heddle_host_clock_ns() - begin < ns)
        ;
}

static void rest_again_and_again(heddle_backend b, uint64_t n_starts)
{
    heddle_pool_stats stats = HEDDLE_POOL_STATS_INIT;
    heddle_handle h[3];
    rig r;
    uint64_t k;
    uint32_t i, n;
    open_rig(&r, b, 1);
    for (k = 0; k < n_starts; k++) {
        n = 1u + (uint32_t)check_below(&r.seed, 3);
        for (i = 0; i < n; i++) {
            const soaked_args a = next_args(&r);
            pause_ns(check_below(&r.seed, 60000));
            CHECK_OK(NULL,
                     heddle_pool_spawn(r.pool, soaked_count, &a, sizeof a, 32u << check_below(&r.seed, 3), &h[i]));
        }
        for (i = 0; i < n; i++)
            CHECK_OK(NULL, heddle_pool_wait(r.pool, h[i], HEDDLE_FOREVER, NULL));
    }
    CHECK_OK(NULL, heddle_pool_get_stats(r.pool, &stats));
    printf("%s: %llu tasks at random moments, %u starts of a kernel\n", heddle_backend_name(b),
           (unsigned long long)r.n_tasks, stats.n_starts);
    close_rig(&r);
}

int main(int argc, char **argv)
{
    const uint64_t n_tasks = asked("HEDDLE_TASKS", 200000), n_starts = asked("HEDDLE_STARTS", 300);
    heddle_backend b = HEDDLE_CPU;
    if (pooled_wants_gpu(argc, argv))
        b = HEDDLE_CUDA;
    soak(b, n_tasks);
    rest_again_and_again(b, n_starts);
    return 0;
}
