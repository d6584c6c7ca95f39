/* SPDX-License-Identifier: MIT */
/* bench_spawn.c - `heddle bench spawn`: rates and latencies of a pool beside the bare ones: on a GPU a word to a waiting kernel and back,
 * and a kernel for each task; on threads a word to another thread and back, under a mutex. Tasks have 128 threads on a GPU.
 *
 * Rows: what, tasks, median, least, most, runs, unit, mode. --tasks is the number of empty tasks, from which the others follow. Modes
 * that are there for comparison have only the rows of tasks that take time, unless --pool names one. */
#include "commands.h"

#include "cli.h"
#include "spawn_bodies.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 262144u     /* empty tasks */
#define N_BUSY 32768u /* tasks that take time, and handles that are kept, at most */
#define TRIPS 2001u
#define RESTS 301u    /* trips after a rest, at most */
#define BLOCK_BITS 2u /* a task has so many times as many blocks as there are tasks, in bits */
#define N_THREADS 8u
#define TEAM 128u

typedef struct spawning {
    heddle_ctx *ctx;
    heddle_pool *pool;
    const char *mode; /* of a GPU; else the backend */
    int is_gpu;
    FILE *rows, *table;
    uint32_t n, n_busy, n_runs, n_trips;
    spawn_args *args; /* n */
    heddle_handle *handles;
    double *times; /* room for those of a row */
} spawning;

static int said(heddle_status s) { return s ? cli_heddle_bad(NULL, s) : CLI_OK; }

static double now_us(void) { return 1e-3 * (double)heddle_host_clock_ns(); }

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void row(const spawning *b, const char *what, uint32_t n_tasks, double *v, uint32_t n, const char *unit)
{
    qsort(v, n, sizeof *v, by_size);
    fprintf(b->rows, "%s\t%u\t%.4g\t%.4g\t%.4g\t%u\t%s\t%s\n", what, n_tasks, v[n / 2], v[0], v[n - 1], n, unit,
            b->mode);
    fprintf(b->table, "  %-46s %10.4g %10.4g %10.4g  %s\n", what, v[n / 2], v[0], v[n - 1], unit);
}

/* ---- empty tasks ------------------------------------------------------------------------------------------------------- */

static int wait_all(spawning *b) { return said(heddle_pool_wait_all(b->pool, HEDDLE_FOREVER)); }

static int wait_each(spawning *b, uint32_t n)
{
    heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; i < n && s == HEDDLE_OK; i++)
        s = heddle_pool_wait(b->pool, b->handles[i], HEDDLE_FOREVER, NULL);
    return said(s);
}

/* handles: NULL, or n of them. */
static int spawn_n(spawning *b, uint32_t n, heddle_handle *handles)
{
    heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; i < n && s == HEDDLE_OK; i++)
        s = heddle_pool_spawn(b->pool, spawn_empty, &b->args[i], sizeof *b->args, TEAM, handles ? &handles[i] : NULL);
    return said(s);
}

static int spawn_many(spawning *b, uint32_t body, uint32_t n, heddle_handle *handles)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = body;
    t.arg_bytes = sizeof *b->args;
    t.team_size = TEAM;
    return said(heddle_pool_spawn_many(b->pool, &t, b->args, sizeof *b->args, n, handles, NULL));
}

static int run_spawn(spawning *b) { return spawn_n(b, b->n, NULL) || wait_all(b); }
static int run_many(spawning *b) { return spawn_many(b, spawn_empty, b->n, NULL) || wait_all(b); }

static int run_with_handles(spawning *b, int one_by_one)
{
    for (uint32_t k = 0; k < b->n; k += b->n_busy) {
        const uint32_t n = b->n - k < b->n_busy ? b->n - k : b->n_busy;
        if (one_by_one ? spawn_n(b, n, b->handles) : spawn_many(b, spawn_empty, n, b->handles))
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
    return spawn_many(b, spawn_empty, b->n / N_THREADS, NULL) ? b : NULL;
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
    return status || wait_all(b);
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
    t.team_size = TEAM;
    t.n_blocks = 1u << block_bits(b);
    return said(heddle_pool_spawn_task(b->pool, &t, NULL)) || wait_all(b);
}

/* n: tasks, or blocks, of a run. */
static int time_rate(spawning *b, const char *what, uint32_t n, const char *unit, int (*run)(spawning *b))
{
    if (run(b))
        return CLI_BAD;
    for (uint32_t i = 0; i < b->n_runs; i++) {
        const double begin = now_us();
        if (run(b))
            return CLI_BAD;
        b->times[i] = n / (now_us() - begin);
    }
    row(b, what, n, b->times, b->n_runs, unit);
    return CLI_OK;
}

static int time_rates(spawning *b)
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

/* ---- one task ------------------------------------------------------------------------------------------------------------ */

/* n trips of one task or word. */
static void trip_rows(const spawning *b, const char *what, uint32_t n)
{
    double last;
    row(b, what, 1, b->times, n, "us");
    last = b->times[n * 99 / 100];
    row(b, "the same, 99 of 100 within", 1, &last, 1, "us");
}

/* rest_us: between two tasks, so that the GPU has been given back. */
static int time_task(spawning *b, const char *what, long rest_us, uint32_t n)
{
    heddle_handle h;
    for (uint32_t i = 0; i < n; i++) {
        heddle_status s;
        if (rest_us)
            (void)nanosleep(&(struct timespec){0, 1000 * rest_us}, NULL);
        b->times[i] = now_us();
        s = heddle_pool_spawn(b->pool, spawn_empty, b->args, sizeof *b->args, TEAM, &h);
        if (!s)
            s = heddle_pool_wait(b->pool, h, HEDDLE_FOREVER, NULL);
        if (s)
            return said(s);
        b->times[i] = now_us() - b->times[i];
    }
    trip_rows(b, what, n);
    return CLI_OK;
}

/* ---- a word to a thread and back ---- */

typedef struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t asked, answered, n;
} mailbox;

static void *answer_words(void *arg)
{
    mailbox *m = arg;
    pthread_mutex_lock(&m->mutex);
    while (m->answered < m->n) {
        while (m->asked == m->answered)
            pthread_cond_wait(&m->changed, &m->mutex);
        m->answered = m->asked;
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

static int thread_trips(double *us, uint32_t n)
{
    mailbox m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, n};
    pthread_t thread;
    if (pthread_create(&thread, NULL, answer_words, &m))
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        us[i] = now_us();
        pthread_mutex_lock(&m.mutex);
        m.asked++;
        pthread_cond_broadcast(&m.changed);
        while (m.answered != m.asked)
            pthread_cond_wait(&m.changed, &m.mutex);
        pthread_mutex_unlock(&m.mutex);
        us[i] = now_us() - us[i];
    }
    return pthread_join(thread, NULL);
}

static int time_bare_launches(spawning *b)
{
    for (uint32_t i = 0; i < b->n_trips; i++) {
        b->times[i] = now_us();
        if (spawn_launch_and_wait())
            return cli_bad("a kernel cannot be launched");
        b->times[i] = now_us() - b->times[i];
    }
    trip_rows(b, "one kernel: launch to synchronised", b->n_trips);
    return CLI_OK;
}

static int time_trips(spawning *b)
{
    if (time_task(b, "one task: spawn to wait returned", 0, b->n_trips) ||
        time_task(b, "one task after a rest of 1 ms", 1000, b->n_trips < RESTS ? b->n_trips : RESTS))
        return CLI_BAD;
    if ((b->is_gpu ? spawn_bare_trips : thread_trips)(b->times, b->n_trips))
        return cli_bad("nobody answers a word");
    trip_rows(b, b->is_gpu ? "bare: a word to the GPU and back" : "bare: a word to a thread and back", b->n_trips);
    return b->is_gpu ? time_bare_launches(b) : CLI_OK;
}

/* ---- tasks that take time -------------------------------------------------------------------------------------------------- */

/* One run; *kernels_ms: of a kernel each, 0 without a GPU. */
static int run_busy(spawning *b, uint32_t us, double *pool_ms, double *kernels_ms)
{
    double begin = now_us();
    *kernels_ms = 0;
    if (spawn_many(b, spawn_spin, b->n_busy, NULL) || wait_all(b))
        return CLI_BAD;
    *pool_ms = 1e-3 * (now_us() - begin);
    if (!b->is_gpu)
        return CLI_OK;
    begin = now_us();
    if (spawn_kernels(b->n_busy, us))
        return cli_bad("a kernel cannot be launched");
    *kernels_ms = 1e-3 * (now_us() - begin);
    return CLI_OK;
}

static void busy_row(const spawning *b, uint32_t us, const char *how, double *v, const char *unit)
{
    char what[64];
    snprintf(what, sizeof what, "tasks of %u us, %s", us, how);
    row(b, what, b->n_busy, v, b->n_runs, unit);
}

static int time_busy(spawning *b, uint32_t us)
{
    double *pool = b->times, *kernels = pool + b->n_runs, *over = kernels + b->n_runs;
    for (uint32_t i = 0; i < b->n_busy; i++)
        b->args[i].us = us;
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

/* ---- a pool ---- */

/* is_whole: also empty tasks, and one task. */
static int time_pool(spawning *b, heddle_pool_mode mode, int is_whole)
{
    static const uint32_t us[] = {0, 5, 20};
    const spawn_params params = {0};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    int status;
    c.mode = mode;
    b->mode = b->is_gpu ? heddle_pool_mode_name(mode) : b->mode;
    cli_progress("spawning into a pool, %s", b->mode);
    fprintf(b->table, "%s\n  %-46s %10s %10s %10s\n", b->mode, "", "median", "min", "max");
    status = said(heddle_pool_new(b->ctx, &spawned_bench, &params, sizeof params, &c, &b->pool));
    if (!status && is_whole)
        status = time_rates(b) || time_trips(b) ? CLI_BAD : CLI_OK;
    for (size_t i = 0; !status && i < sizeof us / sizeof *us; i++)
        status = time_busy(b, us[i]);
    heddle_pool_free(b->pool);
    b->pool = NULL;
    return status;
}

static int is_wanted(const options *o, heddle_pool_mode mode)
{
    const char *wanted = o->pool ? getenv("HEDDLE_POOL_MODE") : NULL;
    return wanted ? !strcmp(wanted, heddle_pool_mode_name(mode)) : mode != HEDDLE_POOL_AUTO;
}

static int time_modes(spawning *b, const options *o)
{
    for (int mode = HEDDLE_POOL_AUTO; mode < HEDDLE_N_POOL_MODES; mode++)
        if (is_wanted(o, (heddle_pool_mode)mode) &&
            time_pool(b, (heddle_pool_mode)mode, o->pool || mode <= HEDDLE_POOL_LAUNCHES))
            return CLI_BAD;
    return CLI_OK;
}

/* ---- the command ---- */

static int open_bench(spawning *b, const options *o)
{
    heddle_config c = o->config, is = HEDDLE_CONFIG_INIT;
    const uint64_t n = o->request.spawning.n_tasks;
    const size_t room = TRIPS + 3u * o->runs;
    heddle_status s = heddle_ctx_open(&b->ctx, &c);
    if (!s)
        s = heddle_ctx_get_config(b->ctx, &is);
    if (s)
        return cli_heddle_bad(b->ctx, s);
    b->mode = heddle_backend_name(is.backend);
    b->is_gpu = is.backend == HEDDLE_CUDA;
    b->n = n ? (uint32_t)n : N;
    b->n_busy = b->n < N_BUSY ? b->n : N_BUSY;
    b->n_trips = b->n < TRIPS ? b->n : TRIPS;
    b->n_runs = (uint32_t)o->runs;
    b->args = calloc(b->n, sizeof *b->args);
    b->handles = calloc(b->n_busy, sizeof *b->handles);
    b->times = calloc(room, sizeof *b->times);
    return b->args && b->handles && b->times ? CLI_OK : cli_bad("out of memory");
}

static int print(const options *o, cli_buffer *rows, cli_buffer *table)
{
    return o->tsv ? cli_buffer_write(rows, o->tsv) || cli_buffer_print(table) : cli_buffer_print(rows);
}

int bench_spawn(const options *o)
{
    cli_buffer rows = {.text = NULL}, table = {.text = NULL};
    spawning b = {.ctx = NULL};
    int status;
    if (o->n_words > 1)
        return cli_bad("bench spawn takes no names of apps");
    if (cli_check_output(o->tsv))
        return CLI_BAD;
    status = cli_buffer_open(&rows) || cli_buffer_open(&table) || open_bench(&b, o) ? CLI_BAD : CLI_OK;
    b.rows = rows.out;
    b.table = table.out;
    if (!status) {
        fputs("what\ttasks\tmedian\tleast\tmost\truns\tunit\tmode\n", b.rows);
        status = b.is_gpu ? time_modes(&b, o) : time_pool(&b, HEDDLE_POOL_AUTO, 1);
    }
    if (!status)
        status = print(o, &rows, &table) ? CLI_BAD : CLI_OK;
    heddle_ctx_close(b.ctx);
    free(b.args);
    free(b.handles);
    free(b.times);
    cli_buffer_free(&rows);
    cli_buffer_free(&table);
    return status;
}
