/* SPDX-License-Identifier: MIT */
/* full.c - a full table on threads: a thread that spawns runs tasks itself. So spawning goes on while all workers are busy; several
 * threads do that at once, and order and failures are as ever. A thread that finds nothing to run waits. */
#include "check.h"
#include "heddle/pool.h"
#include "heddle/task.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define N_SPAWNERS 4u
#define N_EACH 3000u
#define PATIENCE_MS 3000u

typedef struct params {
    uint32_t *gate, *n, *by_spawner; /* n: for each spawner */
    uint32_t n_workers;
} params;
typedef struct step_args {
    uint32_t spawner, is_free, code; /* is_free: others of this spawner may run at the same time */
} step_args;

static _Thread_local int spawns; /* this thread does */

HEDDLE_BODY(step, params, p, step_args, a)
{
    if (a->is_free)
        (void)HEDDLE_ATOMIC_ADD(&p->n[a->spawner], 1u, RELAXED, DEV);
    else
        p->n[a->spawner]++;
    if (spawns != (thread->worker == p->n_workers))
        heddle_task_fail(thread, 9);
    if (spawns)
        (void)HEDDLE_ATOMIC_ADD(p->by_spawner, 1u, RELAXED, DEV);
    if (a->code)
        heddle_task_fail(thread, a->code);
}

HEDDLE_BODY(gate, params, p, step_args, a)
{
    uint32_t n = 0;
    (void)a;
    (void)HEDDLE_ATOMIC_ADD(&p->n[0], 1u, RELAXED, DEV);
    while (!HEDDLE_ATOMIC_LOAD(p->gate, ACQUIRE, SYS))
        heddle_pause(n++);
}

#define BODIES(X) X(step, 0) X(gate, 0)
HEDDLE_ENUM(table, BODIES)
HEDDLE_POOL_TABLE(table, params, BODIES)

typedef struct rig {
    heddle_ctx *ctx;
    heddle_pool *pool;
    uint32_t gate, by_spawner, n[N_SPAWNERS], next;
} rig;

static void rig_open(rig *r, uint32_t n_workers)
{
    const params p = {&r->gate, r->n, &r->by_spawner, n_workers};
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    memset(r, 0, sizeof *r);
    c.backend = HEDDLE_CPU;
    c.n_workers = n_workers;
    pc.n_slots = 32;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    CHECK_OK(NULL, heddle_pool_new(r->ctx, &table, &p, sizeof p, &pc, &r->pool));
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &info));
    CHECK(info.n_workers == n_workers + 1u); /* and a thread that spawns */
}

static void rig_close(rig *r)
{
    heddle_pool_free(r->pool);
    heddle_ctx_close(r->ctx);
}

/* Opens the gate when the main thread has hung for long. */
static void *lose_patience(void *arg)
{
    rig *r = arg;
    uint32_t ms;
    for (ms = 0; ms < PATIENCE_MS && !__atomic_load_n(&r->gate, __ATOMIC_ACQUIRE); ms++)
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    __atomic_store_n(&r->gate, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* The only worker is busy. */
static void check_busy(void)
{
    const step_args a = {1, 1, 0};
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    pthread_t thread;
    uint32_t i;
    rig r;
    spawns = 1;
    rig_open(&r, 1);
    CHECK_OK(NULL, heddle_pool_spawn(r.pool, gate, &a, sizeof a, 0, NULL));
    while (!__atomic_load_n(&r.n[0], __ATOMIC_ACQUIRE))
        sched_yield();
    CHECK(pthread_create(&thread, NULL, lose_patience, &r) == 0);
    for (i = 0; i < 1000; i++)
        CHECK_OK(NULL, heddle_pool_spawn(r.pool, step, &a, sizeof a, 0, NULL));
    CHECK_MSG(!__atomic_load_n(&r.gate, __ATOMIC_ACQUIRE) && r.by_spawner >= 1000 - 31,
              "%u tasks by the thread that spawns", r.by_spawner);
    __atomic_store_n(&r.gate, 1, __ATOMIC_RELEASE);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(NULL, heddle_pool_wait_all(r.pool, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_pool_get_stats(r.pool, &s));
    CHECK(r.n[1] == 1000 && s.n_ended == 1001 && s.n_full && s.full_ns);
    rig_close(&r);
}

/* Tasks that come after one another, in the order of their ranges. */
static void *spawn_chain(void *arg)
{
    rig *r = arg;
    const step_args a = {__atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED), 0, 0};
    const heddle_range range = {&r->n[a.spawner], sizeof *r->n, 1, 0, HEDDLE_MODE_INOUT};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    uint32_t i;
    spawns = 1;
    t.body = step;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.ranges = &range;
    t.n_ranges = 1;
    for (i = 0; i < N_EACH; i++)
        CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
    return NULL;
}

/* Free tasks, one in a hundred of which fails. */
static void *spawn_free(void *arg)
{
    rig *r = arg;
    const uint32_t me = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
    uint32_t i;
    spawns = 1;
    for (i = 0; i < N_EACH; i++) {
        const step_args a = {me, 1, i % 100u == 99u ? 3u : 0u};
        CHECK_OK(NULL, heddle_pool_spawn(r->pool, step, &a, sizeof a, 0, NULL));
    }
    return NULL;
}

static void check_threads(uint32_t n_workers, void *(*spawn)(void *), uint32_t n_failed)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    pthread_t thread[N_SPAWNERS];
    uint32_t i, n = 0;
    rig r;
    rig_open(&r, n_workers);
    for (i = 0; i < N_SPAWNERS; i++)
        CHECK(pthread_create(&thread[i], NULL, spawn, &r) == 0);
    for (i = 0; i < N_SPAWNERS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(heddle_pool_wait_all(r.pool, HEDDLE_FOREVER) == (n_failed ? HEDDLE_EBODY : HEDDLE_OK));
    CHECK_OK(NULL, heddle_pool_get_stats(r.pool, &s));
    for (i = 0; i < N_SPAWNERS; i++)
        n += r.n[i];
    CHECK_MSG(n == N_SPAWNERS * N_EACH && s.n_ended == n && s.n_failed == n_failed, "%u of %u, %llu failed", n,
              N_SPAWNERS * N_EACH, (unsigned long long)s.n_failed);
    printf("%u workers, %u of %u tasks by threads that spawn\n", n_workers, r.by_spawner, n);
    rig_close(&r);
}

int main(void)
{
    uint32_t n;
    check_busy();
    for (n = 1; n <= 3; n++) {
        check_threads(n, spawn_chain, 0);
        check_threads(n, spawn_free, N_SPAWNERS * N_EACH / 100u);
    }
    return 0;
}
