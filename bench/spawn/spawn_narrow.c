/* SPDX-License-Identifier: MIT */
/* spawn_narrow.c - narrow tasks of a pool of threads beside what one would write without it. See libgomp.py.
 *
 *     spawn_narrow empty spawn|many|tied|untied TASKS THREADS RUNS     tasks that count themselves: heddle_pool_spawn for each,
 *                                                                      heddle_pool_spawn_many, or the compiler's OpenMP tasks
 *     spawn_narrow des3 pool|split PACKETS THREADS RUNS                triple DES of packets: a task for each, or equal numbers of
 *                                                                      packets for each thread
 *
 * Prints the number of tasks that ran, or a sum over the packets, and the milliseconds of each run. */
#include "app.h"
#include "heddle/pool.h"
#include "heddle/task.h"
#include "narrow.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 256

typedef struct narrow_cell {
    uint64_t n;
    uint8_t pad[HEDDLE_LINE_BYTES - sizeof(uint64_t)];
} narrow_cell;
typedef struct narrow_params {
    narrow_cell *cells; /* of each worker */
} narrow_params;
typedef struct narrow_args {
    uint64_t task;
} narrow_args;

#define NARROW_BODIES(X) X(narrow_empty, 0)
HEDDLE_ENUM(narrow_bench, NARROW_BODIES)
HEDDLE_BODY(narrow_empty, narrow_params, params, narrow_args, t) { params->cells[thread->worker].n++; }
HEDDLE_POOL_TABLE(narrow_bench, narrow_params, NARROW_BODIES)

static narrow_cell cells[MOST_THREADS];
static uint32_t n_threads;

static void fail(const char *why)
{
    fprintf(stderr, "spawn_narrow: %s\n", why);
    exit(2);
}

static void must(heddle_status s)
{
    if (s != HEDDLE_OK)
        fail(heddle_error_text(NULL));
}

static heddle_ctx *open_threads(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = n_threads;
    must(heddle_ctx_open(&ctx, &c));
    return ctx;
}

/* Runs `run` so many times, after one that is not timed, and prints what that one gave. */
static void time_runs(int n, void (*run)(void *), void *self, uint64_t (*answer)(void *))
{
    double *ms = calloc((size_t)n, sizeof *ms);
    if (!ms)
        fail("out of memory");
    run(self);
    printf("%llu", (unsigned long long)answer(self));
    for (int i = 0; i < n; i++) {
        const double begin = omp_get_wtime();
        run(self);
        ms[i] = 1e3 * (omp_get_wtime() - begin);
    }
    for (int i = 0; i < n; i++)
        printf(" %.4f", ms[i]);
    puts("");
    free(ms);
}

/* ---- empty tasks ---- */

typedef struct empties {
    heddle_pool *pool;
    narrow_args *args;
    uint64_t n;
    const char *how;
} empties;

static uint64_t count(void *self)
{
    uint64_t n = 0;
    (void)self;
    for (size_t i = 0; i < MOST_THREADS; i++)
        n += cells[i].n;
    return n;
}

static void run_pool(void *self)
{
    const empties *e = self;
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.arg_bytes = sizeof *e->args;
    if (!strcmp(e->how, "many"))
        must(heddle_pool_spawn_many(e->pool, &t, e->args, sizeof *e->args, e->n, NULL, NULL));
    for (uint64_t i = 0; i < e->n && strcmp(e->how, "many"); i++)
        must(heddle_pool_spawn(e->pool, narrow_empty, &e->args[i], sizeof *e->args, 0, NULL));
    must(heddle_pool_wait_all(e->pool, HEDDLE_FOREVER));
}

/* A call, as a body is one. */
static __attribute__((noinline)) void openmp_empty(const narrow_args *t)
{
    (void)t;
    cells[omp_get_thread_num()].n++;
}

static void run_openmp(void *self)
{
    const empties *e = self;
    const int untied = !strcmp(e->how, "untied");
#pragma omp parallel num_threads((int)n_threads)
#pragma omp single
    for (uint64_t i = 0; i < e->n; i++) {
        const narrow_args args = e->args[i];
        if (untied) {
#pragma omp task untied firstprivate(args)
            openmp_empty(&args);
        } else {
#pragma omp task firstprivate(args)
            openmp_empty(&args);
        }
    }
}

static void empty(const char *how, uint64_t n, int runs)
{
    const narrow_params params = {cells};
    empties e = {NULL, calloc(n, sizeof *e.args), n, how};
    heddle_ctx *ctx;
    if (!e.args)
        fail("out of memory");
    if (!strcmp(how, "tied") || !strcmp(how, "untied")) {
        time_runs(runs, run_openmp, &e, count);
    } else {
        ctx = open_threads();
        must(heddle_pool_new(ctx, &narrow_bench, &params, sizeof params, NULL, &e.pool));
        time_runs(runs, run_pool, &e, count);
        heddle_pool_free(e.pool);
        heddle_ctx_close(ctx);
    }
    free(e.args);
}

/* ---- des3 ---- */

/* A sum over the results. */
static uint64_t sum(void *self)
{
    app_case *c = self;
    const narrow *n = self;
    uint64_t v = 0;
    if (c->app->read(c))
        fail(c->error);
    for (uint64_t i = 0; i < n->n_results; i++)
        v = v * 31u + ((const uint8_t *)n->out.host)[i];
    return v;
}

static void run_case(void *self)
{
    app_case *c = self;
    if (c->scenario->engine->run(c))
        fail(c->error);
}

/* The body of each of a thread's packets, which follow one another. */
static void run_part(const app_case *c, uint64_t first, uint64_t end)
{
    const app_tasks *t = &c->tasks;
    const heddle_body_info *body = &c->app->table->bodies[t->body];
    heddle_failure failure = {0};
    void *shared = aligned_alloc(128, (HEDDLE_REDUCE_BYTES + body->shared_bytes + 127u) / 128u * 128u);
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    for (uint64_t i = first; shared && i < end; i++)
        body->run(&thread, c->record, (const char *)t->args + i * t->arg_bytes);
    free(shared);
}

static void run_split(void *self)
{
    const app_case *c = self;
#pragma omp parallel num_threads((int)n_threads)
    run_part(c, c->tasks.n * (uint64_t)omp_get_thread_num() / n_threads,
             c->tasks.n * ((uint64_t)omp_get_thread_num() + 1u) / n_threads);
}

static void des3(const char *how, uint64_t n, int runs)
{
    char error[APP_ERROR];
    const app *a = app_find("des3");
    const int is_split = !strcmp(how, "split");
    app_request q = {.n = {n, a->n[1]}};
    app_case *c = app_new(a, app_scenario_of(a, is_split ? "graph" : "pool"), &q, error);
    heddle_ctx *ctx;
    if (!c)
        fail(error);
    ctx = open_threads();
    if (c->scenario->build(c, ctx))
        fail(c->error);
    time_runs(runs, is_split ? run_split : run_case, c, sum);
    c->app->free(c);
    heddle_ctx_close(ctx);
}

/* ---- the program ---- */

int main(int argc, char **argv)
{
    static const char *const usage =
        "usage: spawn_narrow empty spawn|many|tied|untied TASKS THREADS RUNS, or des3 pool|split PACKETS THREADS RUNS";
    if (argc != 6 || (strcmp(argv[1], "empty") && strcmp(argv[1], "des3")))
        fail(usage);
    n_threads = (uint32_t)atoi(argv[4]);
    if (!n_threads || n_threads >= MOST_THREADS || atoi(argv[3]) < 1 || atoi(argv[5]) < 1)
        fail(usage);
    (strcmp(argv[1], "empty") ? des3 : empty)(argv[2], strtoull(argv[3], NULL, 10), atoi(argv[5]));
    return 0;
}
