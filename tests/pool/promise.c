/* SPDX-License-Identifier: MIT */
/* promise.c - tasks that wait for promises, on serial, on emulated blocks, on 1 to 4 threads, and on a GPU in each mode: they run when
 * those are kept and not before, also long after, and are cancelled with them. Promises that are left when a pool is freed are broken.
 * Threads make and keep promises at the same time. On a GPU events of CUDA are waited for, too, and streams wait for tasks. */
#include "pool/bodies.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#if POOL_CUDA
#include <cuda_runtime_api.h>
#endif

#define N 1024u
#define MS 1000000l

typedef struct rig {
    heddle_ctx *ctx;
    heddle_pool *pool;
    uint32_t cells[N], ran[N], gate, began;
    pooled_params params;
    heddle_backend backend;
} rig;

static rig *rig_open(heddle_backend b, uint32_t n)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    rig *r = pooled_new(b, sizeof *r);
    c.backend = b;
    if (b == HEDDLE_SERIAL)
        c.team_size = n;
    else if (b == HEDDLE_CPU)
        c.n_workers = n;
    pc.n_slots = 64;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    r->params = (pooled_params){r->cells, r->ran, r->cells, &r->gate, &r->began};
    r->backend = b;
    CHECK_OK(NULL, heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, &pc, &r->pool));
    return r;
}

static void rig_close(rig *r)
{
    heddle_pool_free(r->pool);
    heddle_ctx_close(r->ctx);
    pooled_free(r->backend, r);
}

/* Marks ran[k], and mixes cell 0. */
static heddle_handle mix(rig *r, uint32_t k, const heddle_handle *after, size_t n_after)
{
    const pooled_mix_args a = {k, 1, {0, 0, 0, 0}, 0};
    const heddle_pool_task t = pooled_mix_task(&a, after, n_after);
    heddle_handle h;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    return h;
}

/* Writes 5 into five cells, from `first` on, in as many blocks. */
static void blocks(rig *r, uint32_t first, const heddle_handle *after)
{
    const pooled_block_args a = {first, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_block;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.n_blocks = 5;
    t.after = after;
    t.n_after = 1;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
}

/* A task of the widest team, with barriers and a reduction. */
static void wide(rig *r, uint32_t cell, const heddle_handle *after)
{
    const pooled_mix_args a = {3, 1, {cell, 0, 0, 0}, 0};
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    heddle_pool_task t = pooled_mix_task(&a, after, 1);
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &info));
    t.body = pooled_sum;
    t.team_size = info.most_threads / 32u * 32u;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
}

static heddle_handle promise(rig *r)
{
    heddle_handle h;
    CHECK_OK(NULL, heddle_pool_promise_new(r->pool, &h));
    return h;
}

static uint32_t ran(const rig *r, uint32_t k) { return __atomic_load_n(&r->ran[k], __ATOMIC_ACQUIRE); }
static void nap(long ns) { (void)nanosleep(&(struct timespec){0, ns}, NULL); }
static void clear(rig *r)
{
    memset(r->ran, 0, sizeof r->ran);
    memset(r->cells, 0, sizeof r->cells);
    r->gate = r->began = 0;
}

/* ---- kept and broken ------------------------------------------------------------------------------------------------- */

/* Promises do not count as tasks. */
static void check_stats(rig *r, uint32_t n)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, promise(r))); /* nobody names it */
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_pool_get_stats(r->pool, &s));
    CHECK_MSG(s.n_spawned == n && s.n_ended == n, "%llu, %llu", (unsigned long long)s.n_spawned,
              (unsigned long long)s.n_ended);
    CHECK_OK(NULL, heddle_pool_reset_stats(r->pool));
}

/* A chain, a task after two promises, and one after none, which runs at once. pause: a GPU's kernel ends meanwhile. */
static void check_kept(rig *r, long pause)
{
    heddle_pool_end end;
    heddle_handle p[2], h, last, free, done[2];
    uint32_t i;
    clear(r);
    check_stats(r, 0);
    p[0] = promise(r);
    p[1] = promise(r);
    last = h = mix(r, 1, &p[0], 1);
    last = mix(r, 2, &last, 1);
    last = mix(r, 3, &last, 1);
    done[0] = p[0];
    done[1] = p[1];
    done[0] = mix(r, 5, done, 2);
    blocks(r, 10, p);
    wide(r, 20, &p[1]); /* on a GPU the kernel is to start anew with wide blocks */
    clear(r);           /* nothing has run */
    free = mix(r, 4, NULL, 0);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, free, HEDDLE_FOREVER, NULL));
    nap(pause);
    CHECK(ran(r, 1) + ran(r, 2) + ran(r, 3) + ran(r, 5) == 0 && r->cells[0] == 5);
    CHECK(heddle_pool_test(r->pool, p[0], &end) == HEDDLE_EBUSY && heddle_pool_test(r->pool, h, NULL) == HEDDLE_EBUSY);
    CHECK(heddle_pool_wait_all(r->pool, 1) == HEDDLE_EBUSY);
    CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, p[0]));
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, p[0]), EINVAL, "kept");
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, h), EINVAL, "no promise");
    CHECK_OK(NULL, heddle_pool_wait(r->pool, last, HEDDLE_FOREVER, NULL));
    CHECK(r->cells[0] == ((5u * 31u + 2u) * 31u + 3u) * 31u + 4u && ran(r, 5) == 0);
    CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, p[1]));
    CHECK_OK(NULL, heddle_pool_wait(r->pool, p[1], HEDDLE_FOREVER, &end));
    CHECK(end.status == HEDDLE_OK && end.handle == p[1]);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, done[0], HEDDLE_FOREVER, NULL));
    CHECK(ran(r, 5) == 1);
    check_stats(r, 7);
    for (i = 9; i < 16; i++)
        CHECK(r->cells[i] == (i >= 10 && i < 15 ? 5u : 0u));
    CHECK(r->cells[20] == 3u * (64u * 63u / 2u));
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, p[1]), EINVAL, "no promise");
}

static void check_broken(rig *r)
{
    heddle_handle p = promise(r), h[3];
    clear(r);
    h[0] = mix(r, 1, &p, 1);
    h[1] = mix(r, 2, &h[0], 1);
    h[2] = mix(r, 3, &p, 1);
    CHECK_OK(NULL, heddle_pool_cancel(r->pool, h[2])); /* it ends with what it waits for */
    CHECK(heddle_pool_test(r->pool, h[2], NULL) == HEDDLE_EBUSY);
    CHECK_OK(NULL, heddle_pool_cancel(r->pool, p));
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, p), EINVAL, "cancelled");
    CHECK(heddle_pool_wait(r->pool, h[1], HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_wait(r->pool, h[0], HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_wait(r->pool, h[2], HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_wait(r->pool, p, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER)); /* all were asked for */
    CHECK(ran(r, 1) + ran(r, 2) + ran(r, 3) == 0);
    h[0] = mix(r, 1, NULL, 0); /* in one of these slots: their fates are gone */
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h[0], HEDDLE_FOREVER, NULL));
}

/* A limit counts from the start, and not from the spawning. */
static void check_limit(rig *r)
{
    const pooled_gate_args a = {1};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle p = promise(r), h;
    heddle_pool_end end;
    heddle_status s;
    clear(r);
    t.body = pooled_gate;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.time_limit_ms = 20;
    t.after = &p;
    t.n_after = 1;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    nap(40 * MS);
    CHECK(heddle_pool_test(r->pool, h, NULL) == HEDDLE_EBUSY);
    CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, p)); /* on serial it runs here */
    do
        s = heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, &end);
    while (end.status == HEDDLE_EBUSY);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT && end.status == s, "%s", heddle_error_text(NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
}

/* Freed with a promise: what waits for it does not run, and nothing waits for ever. */
static void check_left(heddle_backend b, uint32_t n)
{
    rig *r = rig_open(b, n);
    const heddle_handle p = promise(r);
    (void)mix(r, 1, &p, 1);
    (void)promise(r);
    heddle_pool_free(r->pool);
    CHECK(r->ran[1] == 0);
    heddle_ctx_close(r->ctx);
    pooled_free(b, r);
}

/* ---- several threads --------------------------------------------------------------------------------------------------- */

#define N_PROMISES 600u
#define N_OPEN 8u /* few slots, so that the table is full now and then */

typedef struct keeping {
    rig *r;
    heddle_handle promised[N_OPEN]; /* 0: none */
    uint32_t kept;
} keeping;

static void *keep_all(void *arg)
{
    keeping *k = arg;
    uint64_t random = check_seed(5);
    while (k->kept < N_PROMISES) {
        heddle_handle *at = &k->promised[check_below(&random, N_OPEN)];
        const heddle_handle h = __atomic_exchange_n(at, 0, __ATOMIC_ACQUIRE);
        if (!h) {
            sched_yield();
            continue;
        }
        CHECK_OK(NULL, heddle_pool_promise_keep(k->r->pool, h));
        k->kept++;
    }
    return NULL;
}

/* One thread makes promises and tasks after them, another keeps them, in any order. */
static void check_threads(rig *r)
{
    keeping k = {.r = r};
    pthread_t thread;
    uint32_t i, j;
    clear(r);
    CHECK(pthread_create(&thread, NULL, keep_all, &k) == 0);
    for (i = 0; i < N_PROMISES; i++) {
        heddle_handle h = promise(r);
        for (j = 0; j < 3; j++) {
            const pooled_mix_args a = {1u + j, 0, {0, 0, 0, 0}, 0};
            const heddle_pool_task t = pooled_mix_task(&a, &h, 1);
            CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
        }
        while (__atomic_load_n(&k.promised[i % N_OPEN], __ATOMIC_RELAXED))
            sched_yield();
        __atomic_store_n(&k.promised[i % N_OPEN], h, __ATOMIC_RELEASE);
        if (i % N_OPEN == N_OPEN - 1u) /* their ends are seen */
            CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (j = 1; j <= 3; j++)
        CHECK_MSG(ran(r, j) == N_PROMISES, "%u", ran(r, j));
}

/* ---- events and streams ---------------------------------------------------------------------------------------------- */

static void check_refused(rig *r)
{
    heddle_handle h = 7;
    int thing;
    POOLED_REFUSED(heddle_pool_promise_new(NULL, &h), EINVAL, "NULL");
    CHECK(h == 0);
    POOLED_REFUSED(heddle_pool_promise_new(r->pool, NULL), EINVAL, "out is NULL");
    POOLED_REFUSED(heddle_pool_promise_keep(NULL, 0), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, 63), EINVAL, "no promise");
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, 64), EINVAL, "no promise");
    h = 7;
    if (r->backend != HEDDLE_CUDA) {
        POOLED_REFUSED(heddle_pool_import_event(r->pool, &thing, &h), ENODEV, "no events");
        CHECK(h == 0);
        POOLED_REFUSED(heddle_pool_stream_wait(r->pool, 0, &thing), ENODEV, "no streams");
        return;
    }
    POOLED_REFUSED(heddle_pool_stream_wait(r->pool, 0, NULL), EINVAL, "no task");
    POOLED_REFUSED(heddle_pool_import_event(r->pool, NULL, &h), EINVAL, "event is NULL");
    POOLED_REFUSED(heddle_pool_import_event(r->pool, &thing, NULL), EINVAL, "out is NULL");
    CHECK(h == 0);
}

#if POOL_CUDA
static void CUDART_CB await_flag(void *flag)
{
    while (!__atomic_load_n((uint32_t *)flag, __ATOMIC_ACQUIRE))
        nap(100000);
}

/* A task after an event that a stream comes to when the flag is set; another event is cancelled. */
static void check_event(rig *r)
{
    uint32_t flag = 0;
    cudaStream_t stream;
    cudaEvent_t e[2];
    heddle_handle p[2], h[2];
    uint32_t i;
    clear(r);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(stream, await_flag, &flag) == cudaSuccess);
    for (i = 0; i < 2; i++) {
        CHECK(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming) == cudaSuccess);
        CHECK(cudaEventRecord(e[i], stream) == cudaSuccess);
        CHECK_OK(NULL, heddle_pool_import_event(r->pool, e[i], &p[i]));
        h[i] = mix(r, 1 + i, &p[i], 1);
    }
    POOLED_REFUSED(heddle_pool_promise_keep(r->pool, p[0]), EINVAL, "no promise");
    CHECK_OK(NULL, heddle_pool_cancel(r->pool, p[1]));
    CHECK(cudaEventDestroy(e[1]) == cudaSuccess);
    nap(5 * MS);
    CHECK(heddle_pool_test(r->pool, p[0], NULL) == HEDDLE_EBUSY && ran(r, 1) == 0);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); /* until then the pool's streams may stand behind this one */
    CHECK(heddle_pool_wait(r->pool, h[1], HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h[0], HEDDLE_FOREVER, NULL));
    CHECK(ran(r, 1) == 1 && ran(r, 2) == 0);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, p[0], HEDDLE_FOREVER, NULL));
    CHECK(heddle_pool_wait_all(r->pool, HEDDLE_FOREVER) == HEDDLE_OK);
    CHECK(cudaEventDestroy(e[0]) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
}

/* A stream of the program that waits for a task, and copies what that has written. */
typedef struct follower {
    cudaStream_t stream;
    heddle_handle promise, task;
    uint32_t *copied; /* 0 until then */
    uint32_t *device; /* by way of this: a copy from host memory to host memory would not return before it is made */
    uint32_t code;    /* with which the task fails */
} follower;

/* kept: the promise that the task waits for is kept before. */
static void follow(rig *r, follower *f, uint32_t k, int kept)
{
    const pooled_mix_args a = {k, 1, {k, 0, 0, 0}, f->code};
    heddle_pool_task t = pooled_mix_task(&a, &f->promise, 1);
    f->promise = promise(r);
    *f->copied = 0;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &f->task));
    if (kept)
        CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, f->promise));
    CHECK_OK(NULL, heddle_pool_stream_wait(r->pool, f->task, f->stream));
    CHECK(cudaMemcpyAsync(f->device, &r->cells[k], 4, cudaMemcpyDefault, f->stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(f->copied, f->device, 4, cudaMemcpyDefault, f->stream) == cudaSuccess);
}

static void check_follower(rig *r, const follower *f, uint32_t k)
{
    CHECK(cudaStreamSynchronize(f->stream) == cudaSuccess);
    CHECK_MSG(*f->copied == k + 1u, "%u: %u", k, *f->copied);
    CHECK(heddle_pool_wait(r->pool, f->task, HEDDLE_FOREVER, NULL) == (f->code ? HEDDLE_EBODY : HEDDLE_OK));
}

/* More streams than the hardware has queues. What tasks write is there for the copies behind them, also if a task fails, or has ended
 * long ago. Streams wait as long as it takes, beyond the times after which a kernel ends, if that can stay. */
static void check_streams(rig *r)
{
    enum { STREAMS = 20 };
    static follower f[STREAMS];
    uint32_t k, round, *copied = pooled_new(HEDDLE_CUDA, 4u * STREAMS), *device;
    const char *mode = getenv("HEDDLE_POOL_MODE");
    const int stays = pooled_is_flat() && mode && !strcmp(mode, "resident"); /* else the call waits */
    CHECK(cudaMalloc((void **)&device, 4u * STREAMS) == cudaSuccess);
    for (k = 0; k < STREAMS; k++) {
        f[k].copied = &copied[k];
        f[k].device = &device[k];
        CHECK(cudaStreamCreateWithFlags(&f[k].stream, cudaStreamNonBlocking) == cudaSuccess);
    }
    for (round = 0; round < 6; round++) {
        const int kept = !stays || round % 3u == 2u;
        clear(r);
        for (k = 0; k < STREAMS; k++) {
            f[k].code = k % 5u == 4u ? 3u : 0u;
            follow(r, &f[k], k, kept);
        }
        nap(round % 2u ? 15 * MS : 0);
        for (k = STREAMS; !kept && k-- > 0;) {
            CHECK(cudaStreamQuery(f[k].stream) == cudaErrorNotReady && copied[k] == 0);
            CHECK_OK(NULL, heddle_pool_promise_keep(r->pool, f[k].promise));
        }
        for (k = 0; k < STREAMS; k++)
            check_follower(r, &f[k], k);
        CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    }
    for (k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(f[k].stream) == cudaSuccess);
    CHECK(cudaFree(device) == cudaSuccess);
    pooled_free(HEDDLE_CUDA, copied);
}
#endif

static void check_all(heddle_backend b, uint32_t n)
{
    rig *r = rig_open(b, n);
    printf("%s, %u\n", heddle_backend_name(b), n);
    fflush(stdout);
    check_refused(r);
    check_kept(r, 0);
    check_kept(r, 3 * MS);
    check_broken(r);
    if (!pooled_has_no_limits(b))
        check_limit(r);
    check_threads(r);
#if POOL_CUDA
    if (b == HEDDLE_CUDA) {
        check_event(r);
        check_streams(r);
    }
#endif
    rig_close(r);
    check_left(b, n);
}

int main(int argc, char **argv)
{
    pooled_everywhere(argc, argv, check_all);
    return 0;
}
