/* SPDX-License-Identifier: MIT */
/* same.c - random programs on pools: tasks on a few cells, each after the earlier tasks on its cells, by handles; of one block or
 * several, spawned one by one or many at once, by one thread or by several, with failures, cancelled tasks, spawning bodies,
 * notices and waits at random. Half of the threads name the cells as ranges instead of handles. The cells, and how often each task ran, must be what a plain loop computes; each task ends as it
 * must. HEDDLE_PROGRAMS: how many (200). */
#include "pool/bodies.h"

#include <pthread.h>
#include <stdio.h>

#define MOST_TASKS 400u
#define MOST_CELLS 24u
#define MOST_THREADS 4u
#define TREE_TASKS 64u

/* One thread's part of a program: its own cells. */
typedef struct part {
    heddle_pool *pool;
    pooled_params params;
    uint64_t seed;
    uint32_t n_tasks, first_task, first_cell, n_cells;
    int by_ranges, is_alone;                     /* the only thread */
    uint32_t cells[MOST_CELLS], ran[MOST_TASKS]; /* as a plain loop leaves them */
    heddle_status want[MOST_TASKS], got[MOST_TASKS];
    heddle_handle handle[MOST_TASKS]; /* 0: its end was seen */
    uint32_t last[MOST_CELLS];        /* the last task on each cell, + 1 */
} part;

static void take(part *p, uint32_t t, uint32_t timeout_ms)
{
    heddle_pool_end end;
    heddle_status s;
    if (!p->handle[t])
        return;
    s = heddle_pool_wait(p->pool, p->handle[t], timeout_ms, &end);
    if (s == HEDDLE_EBUSY)
        return;
    CHECK_MSG(s == p->want[t] && end.status == s && end.user == p->first_task + t, "task %u: %s, not %s", t,
              heddle_status_text(s), heddle_status_text(p->want[t]));
    p->got[t] = s;
    p->handle[t] = 0;
}

/* The model: does the task run, and what does it leave? */
static void model(part *p, const pooled_mix_args *a, uint32_t t, int is_bad)
{
    uint32_t i;
    p->want[t] = is_bad ? HEDDLE_ECANCELED : a->code ? HEDDLE_EBODY : HEDDLE_OK;
    if (is_bad)
        return;
    p->ran[t] = 1;
    for (i = 0; i < a->n_cells; i++) {
        uint32_t *c = &p->cells[a->cell[i] - p->first_cell];
        *c = *c * 31u + a->task + 1u;
    }
}

static uint32_t draw_cells(part *p, pooled_mix_args *a)
{
    uint32_t i, n = 1u + (uint32_t)check_below(&p->seed, 3), from = (uint32_t)check_below(&p->seed, p->n_cells);
    n = n < p->n_cells ? n : p->n_cells;
    for (i = 0; i < n; i++)
        a->cell[i] = p->first_cell + (from + i) % p->n_cells;
    return n;
}

/* The last tasks on the cells of task t, which becomes the last one. Returns whether one of them keeps it from running: by handles,
 * one that was not seen to end badly; by ranges, any bad one since the last wait for all. */
static int after_last(part *p, const pooled_mix_args *a, uint32_t t, heddle_handle *after, size_t *n_after)
{
    uint32_t i;
    int is_bad = 0;
    for (i = 0; i < a->n_cells; i++) {
        uint32_t *last = &p->last[a->cell[i] - p->first_cell];
        const uint32_t before = *last;
        *last = t + 1u;
        if (!before || !(p->handle[before - 1u] || p->by_ranges))
            continue;
        after[(*n_after)++] = p->handle[before - 1u];
        is_bad |= p->want[before - 1u] != HEDDLE_OK;
    }
    return is_bad;
}

/* Spawns task t after the last ones on its cells. */
static void spawn(part *p, uint32_t t)
{
    pooled_mix_args a = {p->first_task + t, 0, {0, 0, 0, 0}, 0};
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    heddle_handle after[3];
    heddle_range ranges[3];
    uint32_t i;
    a.n_cells = draw_cells(p, &a);
    a.code = check_below(&p->seed, p->by_ranges ? 100 : 25) == 0 ? 1u + (uint32_t)check_below(&p->seed, 9) : 0u;
    for (i = 0; i < a.n_cells; i++)
        ranges[i] = (heddle_range){&p->params.cells[a.cell[i]], sizeof(uint32_t), 1, 0, HEDDLE_MODE_INOUT};
    model(p, &a, t, after_last(p, &a, t, after, &task.n_after));
    task.body = pooled_mix;
    task.args = &a;
    task.arg_bytes = sizeof a;
    task.after = after;
    if (p->by_ranges) {
        task.n_after = 0;
        task.ranges = ranges;
        task.n_ranges = a.n_cells;
    }
    task.user = p->first_task + t;
    task.urgent = check_below(&p->seed, 6) == 0;
    task.team_size = 32u * (1u + (uint32_t)check_below(&p->seed, 4));
    CHECK_OK(NULL, heddle_pool_spawn_task(p->pool, &task, &p->handle[t]));
}

/* Afterwards no end counts, and no handle is valid. */
static void take_all(part *p, uint32_t n)
{
    uint32_t t;
    (void)heddle_pool_wait_all(p->pool, HEDDLE_FOREVER);
    for (t = 0; t < n; t++) {
        if (p->handle[t])
            CHECK(heddle_pool_test(p->pool, p->handle[t], NULL) == HEDDLE_EINVAL);
        p->handle[t] = 0;
    }
    memset(p->last, 0, sizeof p->last);
}

static void *run_part(void *arg)
{
    part *p = arg;
    uint32_t t, k;
    for (t = 0; t < p->n_tasks; t++) {
        spawn(p, t);
        if (check_below(&p->seed, 4) == 0)
            take(p, (uint32_t)check_below(&p->seed, t + 1u), (uint32_t)check_below(&p->seed, 2) ? HEDDLE_FOREVER : 0);
        if (p->is_alone && check_below(&p->seed, 100) == 0)
            take_all(p, t + 1u);
    }
    for (k = 0; k < p->n_tasks; k++)
        take(p, (k * 7u + 3u) % p->n_tasks, HEDDLE_FOREVER);
    for (k = 0; k < p->n_tasks; k++)
        take(p, k, HEDDLE_FOREVER);
    return NULL;
}

/* ---- a program --------------------------------------------------------------------------------------------------------- */

typedef struct program {
    uint32_t cells[MOST_THREADS * MOST_CELLS], ran[MOST_THREADS * MOST_TASKS + TREE_TASKS], blocks[512], gate, began;
    part parts[MOST_THREADS];
} program;

/* Tasks of several blocks and small trees, beside the parts. */
static void spawn_others(heddle_pool *pool, heddle_backend backend, uint32_t n_blocks)
{
    const pooled_block_args b = {0, 0};
    const pooled_tree_args tree = {MOST_THREADS * MOST_TASKS, 1, POOLED_WIDTH, 0, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_block;
    t.args = &b;
    t.arg_bytes = sizeof b;
    t.n_blocks = n_blocks;
    CHECK_OK(NULL, heddle_pool_spawn_task(pool, &t, NULL));
    if (!pooled_has_no_spawns(backend))
        CHECK_OK(NULL, heddle_pool_spawn(pool, pooled_tree, &tree, sizeof tree, 32, NULL));
}

static void check_program(const program *g, uint32_t n_threads, uint32_t n_blocks)
{
    uint32_t k, i;
    for (k = 0; k < n_threads; k++) {
        const part *p = &g->parts[k];
        for (i = 0; i < p->n_cells; i++)
            CHECK_MSG(g->cells[p->first_cell + i] == p->cells[i], "thread %u, cell %u", k, i);
        for (i = 0; i < p->n_tasks; i++)
            CHECK_MSG(g->ran[p->first_task + i] == p->ran[i], "thread %u, task %u ran %u times", k, i,
                      g->ran[p->first_task + i]);
    }
    for (i = 0; i < 512; i++)
        CHECK_MSG(g->blocks[i] == (i < n_blocks ? n_blocks : 0), "block %u of %u: %u", i, n_blocks, g->blocks[i]);
}

/* A tree's tasks have numbers n * WIDTH + 1 + i: those of the root's children lie outside of `ran`, so the tree is one task. */
static void run_program(heddle_backend b, heddle_ctx *ctx, uint64_t seed, uint32_t n_threads)
{
    program *g = pooled_new(b, sizeof *g);
    uint32_t k, n_blocks = 2u + (uint32_t)check_below(&seed, 510);
    uint32_t *ran = pooled_new(b, (MOST_THREADS * MOST_TASKS + 2u) * (POOLED_WIDTH + 1u) * sizeof *ran);
    const pooled_params params = {g->cells, ran, g->blocks, &g->gate, &g->began};
    pthread_t threads[MOST_THREADS];
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    heddle_pool *pool;
    c.n_slots = check_below(&seed, 2) ? 4096 : 0;
    CHECK_OK(NULL, heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &c, &pool));
    for (k = 0; k < n_threads; k++) {
        part *p = &g->parts[k];
        p->pool = pool;
        p->seed = check_random(&seed);
        p->params = params;
        p->by_ranges = (int)check_below(&seed, 2);
        p->is_alone = n_threads == 1;
        p->n_tasks = 1u + (uint32_t)check_below(&seed, MOST_TASKS);
        p->first_task = k * MOST_TASKS;
        p->first_cell = k * MOST_CELLS;
        p->n_cells = 1u + (uint32_t)check_below(&seed, MOST_CELLS);
    }
    spawn_others(pool, b, n_blocks);
    for (k = 1; k < n_threads; k++)
        CHECK(pthread_create(&threads[k], NULL, run_part, &g->parts[k]) == 0);
    (void)run_part(&g->parts[0]);
    for (k = 1; k < n_threads; k++)
        pthread_join(threads[k], NULL);
    CHECK_OK(NULL, heddle_pool_wait_all(pool, HEDDLE_FOREVER));
    memcpy(g->ran, ran, sizeof(uint32_t) * (MOST_THREADS * MOST_TASKS + 1u));
    for (k = 0; k <= POOLED_WIDTH && !pooled_has_no_spawns(b); k++)
        CHECK(k ? ran[MOST_THREADS * MOST_TASKS * POOLED_WIDTH + k] == 1 : ran[MOST_THREADS * MOST_TASKS] == 1);
    check_program(g, n_threads, n_blocks);
    heddle_pool_free(pool);
    pooled_free(b, ran);
    pooled_free(b, g);
}

static void run_some(heddle_backend b, uint32_t n_workers, uint32_t n_programs, uint64_t *seed)
{
    heddle_ctx *ctx = pooled_context(b, n_workers);
    uint32_t i;
    for (i = 0; i < n_programs; i++)
        run_program(b, ctx, check_random(seed), 1u + i % MOST_THREADS);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv) { return pooled_programs(argc, argv, 20261126, 200u, run_some); }
