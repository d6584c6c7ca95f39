/* SPDX-License-Identifier: MIT */
/* calls.c - every call of heddle/pool.h, on serial, on emulated blocks and on 1 to 4 threads. Tasks are spawned one by one and
 * many at once, waited for in each way, and ordered by handles; some are urgent, have blocks, or spawn. Others fail, with tasks
 * after them, or are cancelled. Tables are full. Notices come through harvest, descriptor and function. Graphs run beside. */
#include "pool/bodies.h"

#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define N 2048u

typedef struct rig {
    heddle_ctx *ctx;
    heddle_pool *pool;
    uint32_t cells[N], ran[N], blocks[N], gate, began;
    pooled_params params;
    heddle_backend backend;
    int is_serial, no_spawns;
} rig;

static rig *rig_open(heddle_backend b, uint32_t n, uint32_t n_slots)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    rig *r = pooled_new(b, sizeof *r);
    c.backend = b;
    if (b == HEDDLE_SERIAL)
        c.team_size = n;
    else
        c.n_workers = n;
    pc.n_slots = n_slots;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    r->params = (pooled_params){r->cells, r->ran, r->blocks, &r->gate, &r->began};
    r->backend = b;
    r->is_serial = b == HEDDLE_SERIAL;
    r->no_spawns = pooled_has_no_spawns(b);
    CHECK_OK(NULL, heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, &pc, &r->pool));
    return r;
}

static void rig_close(rig *r)
{
    heddle_pool_free(r->pool);
    heddle_ctx_close(r->ctx);
    pooled_free(r->backend, r);
}

static heddle_handle mix(rig *r, uint32_t task, uint32_t cell, uint32_t code, const heddle_handle *after,
                         size_t n_after)
{
    const pooled_mix_args a = {task, 1, {cell, 0, 0, 0}, code};
    heddle_pool_task t = pooled_mix_task(&a, after, n_after);
    heddle_handle h;
    t.user = task;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    return h;
}

static heddle_handle gate(rig *r, uint32_t until_canceled, uint32_t flags, uint32_t limit_ms)
{
    const pooled_gate_args a = {until_canceled};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle h;
    t.body = pooled_gate;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.flags = flags;
    t.time_limit_ms = limit_ms;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    return h;
}

/* With a call that says that the program waits: some modes launch only then. */
static void await_gates(rig *r, heddle_handle h, uint32_t n)
{
    while (__atomic_load_n(&r->began, __ATOMIC_ACQUIRE) < n) {
        CHECK(heddle_pool_test(r->pool, h, NULL) == HEDDLE_EBUSY);
        sched_yield();
    }
}
static void open_gate(rig *r) { __atomic_store_n(&r->gate, 1, __ATOMIC_RELEASE); }

/* ---- well ------------------------------------------------------------------------------------------------------------ */

/* A chain by handles, and tasks on other cells. */
static void check_order(rig *r)
{
    heddle_handle h[64], last = 0;
    uint32_t i, want = 0;
    for (i = 0; i < 64; i++) {
        h[i] = mix(r, i, 0, 0, &last, last != 0);
        last = h[i];
        want = want * 31u + i + 1u;
        (void)mix(r, 64 + i, 1 + i, 0, NULL, 0);
    }
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h[63], HEDDLE_FOREVER, NULL));
    CHECK(r->cells[0] == want);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (i = 0; i < 64; i++)
        CHECK(r->cells[1 + i] == 64 + i + 1u && r->ran[i] == 1 && r->ran[64 + i] == 1);
    CHECK(heddle_pool_test(r->pool, h[0], NULL) == HEDDLE_EINVAL); /* wait_all has seen it */
    CHECK(heddle_pool_wait(r->pool, h[63], 0, NULL) == HEDDLE_EINVAL);
}

/* Teams of all sizes one after another, with barriers and a reduction. On a GPU the workers' blocks change with them. */
static void check_widths(rig *r)
{
    static const uint32_t sizes[] = {32, 992, 128, 64, 512, 256, 160, 992};
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    uint32_t i;
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &info));
    CHECK(info.most_threads >= 512 && info.how != NULL);
    for (i = 0; i < 64; i++) {
        const pooled_mix_args a = {i, 1, {i, 0, 0, 0}, 0};
        const uint32_t size = sizes[i % 8u] < info.most_threads ? sizes[i % 8u] : info.most_threads;
        CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_sum, &a, sizeof a, size, NULL));
    }
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (i = 0; i < 64; i++)
        CHECK(r->cells[i] == i * (64u * 63u / 2u));
}

/* A pool that has been idle for a while takes tasks as before. */
static void check_rests(rig *r)
{
    uint32_t i;
    for (i = 0; i < 20; i++) {
        const heddle_handle h = mix(r, 900, 0, 0, NULL, 0);
        CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL));
        (void)nanosleep(&(struct timespec){0, 100000l * (i % 5u)}, NULL);
    }
    CHECK(r->ran[900] == 20);
}

/* Modes that launch when the program waits do not do so earlier, and then they do. */
static void check_lazy(rig *r)
{
    heddle_handle h;
    if (!pooled_is_lazy(r->backend))
        return;
    h = mix(r, 902, 0, 0, NULL, 0);
    (void)nanosleep(&(struct timespec){0, 20000000l}, NULL);
    CHECK(__atomic_load_n(&r->ran[902], __ATOMIC_RELAXED) == 0);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL));
    CHECK(r->ran[902] == 1);
}

/* Calls that are given no time start tasks, too: a program may ask again and again. */
static void check_no_time(rig *r)
{
    const heddle_handle h = mix(r, 903, 0, 0, NULL, 0);
    heddle_status s;
    while ((s = heddle_pool_wait(r->pool, h, 0, NULL)) == HEDDLE_EBUSY)
        sched_yield();
    CHECK(s == HEDDLE_OK && r->ran[903] == 1);
    (void)mix(r, 904, 0, 0, NULL, 0);
    while ((s = heddle_pool_wait_all(r->pool, 0)) == HEDDLE_EBUSY)
        sched_yield();
    CHECK(s == HEDDLE_OK && r->ran[904] == 1);
}

static void check_ends(rig *r)
{
    heddle_pool_end end;
    heddle_handle h = mix(r, 200, 200, 0, NULL, 0), two[2];
    size_t which = 9;
    heddle_status s;
    while ((s = heddle_pool_test(r->pool, h, &end)) == HEDDLE_EBUSY)
        sched_yield();
    CHECK(s == HEDDLE_OK && end.handle == h && end.user == 200 && end.status == HEDDLE_OK && end.code == 0);
    two[0] = mix(r, 201, 201, 0, NULL, 0);
    two[1] = mix(r, 202, 202, 0, NULL, 0);
    CHECK_OK(NULL, heddle_pool_wait_any(r->pool, two, 2, HEDDLE_FOREVER, &which, &end));
    CHECK(which < 2 && end.user == 201 + which);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, two[1 - which], HEDDLE_FOREVER, &end));
    CHECK(end.user == 202 - which);
}

static void check_many(rig *r)
{
    pooled_mix_args a[300];
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle first = mix(r, 300, 300, 0, NULL, 0), h[300];
    uint32_t i;
    size_t n = 0;
    for (i = 0; i < 300; i++)
        a[i] = (pooled_mix_args){400 + i, 1, {400 + i, 0, 0, 0}, 0};
    t.body = pooled_mix;
    t.arg_bytes = sizeof a[0];
    t.after = &first;
    t.n_after = 1;
    CHECK_OK(NULL, heddle_pool_spawn_many(r->pool, &t, a, sizeof a[0], 300, h, &n));
    CHECK(n == 300);
    for (i = 0; i < 300; i++)
        CHECK_OK(NULL, heddle_pool_wait(r->pool, h[299 - i], HEDDLE_FOREVER, NULL));
    for (i = 0; i < 300; i++)
        CHECK(r->cells[400 + i] == 401 + i);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, first, 0, NULL));
    t.n_after = 0;
    CHECK_OK(NULL, heddle_pool_spawn_many(r->pool, &t, a, sizeof a[0], 300, NULL, &n));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (i = 0; i < 300; i++)
        CHECK(r->ran[400 + i] == 2);
}

/* More tasks than the mode batch launches at once, which take long: what is ready must not be slept over. */
static void check_long(rig *r)
{
    const pooled_stamp_args a = {1, 300, 0};
    uint32_t i;
    r->ran[1] = 0;
    for (i = 0; i < 3000; i++)
        CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_stamp, &a, sizeof a, 32, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    CHECK(r->ran[1] == 3000);
    r->ran[1] = r->began = 0;
}

static void check_blocks(rig *r)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    pooled_block_args a = {100, 0};
    heddle_handle h;
    uint32_t i;
    t.body = pooled_block;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.n_blocks = 77;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL));
    for (i = 0; i < 300; i++)
        CHECK_MSG(r->blocks[i] == (i >= 100 && i < 177 ? 77u : 0u), "block %u: %u", i, r->blocks[i]);
    a.fail_at = 20;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    CHECK(heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL) == HEDDLE_EBODY);
}

static void check_kinds(rig *r)
{
    pooled_large_args large = {700, {0}};
    pooled_mix_args a = {3, 1, {701, 0, 0, 0}, 0};
    heddle_handle h;
    uint32_t i;
    for (i = 0; i < 47; i++)
        large.by[i] = i;
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_large, &large, sizeof large, 32, &h));
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL));
    CHECK(r->cells[700] == 46 * 47 / 2);
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_sum, &a, sizeof a, 64, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    CHECK(r->cells[701] == 3 * 63 * 32);
}

/* Trees, alone and with continuations; wait_all waits for descendants. */
static void check_trees(rig *r)
{
    pooled_tree_args a = {0, 3, 3, 0, 0};
    uint32_t i, n = 0;
    heddle_handle h;
    memset(r->ran, 0, sizeof r->ran);
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_tree, &a, sizeof a, 32, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (i = 0; i < N; i++)
        n += r->ran[i];
    CHECK_MSG(n == 1 + 3 + 9 + 27, "%u", n);
    a.joins = 1;
    memset(r->cells, 0, sizeof r->cells);
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_tree, &a, sizeof a, 32, &h));
    CHECK_OK(NULL,
             heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL)); /* it ends with its continuation, after all others */
    for (n = i = 0; i < N; i++)
        n += r->cells[i];
    CHECK_MSG(n == 1 + 3 + 9 + 27, "%u", n);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
}

/* ---- not well -------------------------------------------------------------------------------------------------------- */

static void check_failures(rig *r)
{
    heddle_pool_end end;
    heddle_handle bad, after, later, well, both[2];
    memset(r->ran, 0, sizeof r->ran);
    bad = mix(r, 800, 800, 5, NULL, 0);
    after = mix(r, 801, 801, 0, &bad, 1);
    later = mix(r, 802, 802, 0, &after, 1);
    well = mix(r, 803, 803, 0, NULL, 0);
    both[0] = well;
    both[1] = bad;
    both[0] = mix(r, 804, 804, 0, both, 2);
    CHECK(heddle_pool_wait(r->pool, later, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_wait(r->pool, bad, HEDDLE_FOREVER, &end) == HEDDLE_EBODY);
    CHECK(end.code == 5 && end.status == HEDDLE_EBODY && strstr(heddle_error_text(NULL), "pooled_mix"));
    CHECK(heddle_pool_wait(r->pool, after, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_wait(r->pool, both[0], HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, well, HEDDLE_FOREVER, NULL));
    CHECK(r->ran[800] == 1 && r->ran[801] + r->ran[802] + r->ran[804] == 0 && r->ran[803] == 1);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER)); /* all were asked for */
    (void)mix(r, 805, 805, 6, NULL, 0);
    CHECK(heddle_pool_wait_all(r->pool, HEDDLE_FOREVER) == HEDDLE_EBODY);
    CHECK(strstr(heddle_error_text(NULL), "code 6"));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER)); /* told once */
}

/* A child that fails cancels the continuation, and with it the task. */
static void check_bad_trees(rig *r)
{
    pooled_tree_args a = {0, 2, 3, 3, 1};
    heddle_pool_end end;
    heddle_handle h;
    memset(r->cells, 0, sizeof r->cells);
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_tree, &a, sizeof a, 32, &h));
    CHECK(heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(r->cells[0] == 0);
    a.fail_at = 1; /* the root itself, which has made a continuation */
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_tree, &a, sizeof a, 32, &h));
    CHECK(heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, &end) == HEDDLE_EBODY && end.code == 7);
    CHECK(r->cells[0] == 0);
    CHECK_OK(NULL,
             heddle_pool_wait_all(r->pool, HEDDLE_FOREVER)); /* children have no handles, and are not the host's */
}

static void check_cancel(rig *r)
{
    heddle_handle first, behind, running;
    r->gate = r->began = 0;
    memset(r->ran, 0, sizeof r->ran);
    first = gate(r, 0, 0, 0);
    behind = mix(r, 900, 900, 0, &first, 1);
    CHECK_OK(NULL, heddle_pool_cancel(r->pool, behind));
    CHECK(heddle_pool_wait(r->pool, behind, 5, NULL) == HEDDLE_EBUSY);
    open_gate(r);
    CHECK(heddle_pool_wait(r->pool, behind, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, first, HEDDLE_FOREVER, NULL));
    CHECK(r->ran[900] == 0);
    running = gate(r, 1, 0, 0);
    await_gates(r, running, 2);
    CHECK_OK(NULL, heddle_pool_cancel(r->pool, running));
    CHECK(heddle_pool_wait(r->pool, running, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    CHECK(heddle_pool_cancel(r->pool, running) == HEDDLE_EINVAL);
}

enum { LIMIT_MS = 20 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check_limit(rig *r)
{
    heddle_handle h, after = 0;
    heddle_pool_end end = {.status = HEDDLE_EBUSY};
    heddle_status s = HEDDLE_EBUSY;
    uint32_t n = 0;
    const double begin = now_ms();
    r->began = 0;
    h = gate(r, 1, 0, LIMIT_MS);
    if (!r->is_serial)
        after = mix(r, 901, 901, 0, &h, 1);
    if (!r->is_serial) { /* the wait of a millisecond may be late by more than the limit */
        s = heddle_pool_wait(r->pool, h, 1, &end);
        CHECK(s == end.status && (s == HEDDLE_EBUSY || (s == HEDDLE_ETIMEDOUT && now_ms() - begin >= LIMIT_MS)));
    }
    while (end.status == HEDDLE_EBUSY && n++ < 1000000)
        s = heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, &end);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT && end.status == s, "%s", heddle_error_text(NULL));
    if (!r->is_serial) {
        s = heddle_pool_wait(r->pool, after, HEDDLE_FOREVER, NULL);
        CHECK_MSG(s == HEDDLE_ECANCELED, "%s", heddle_error_text(NULL));
    }
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
}

/* ---- hearing of ends --------------------------------------------------------------------------------------------------- */

static heddle_handle notify(rig *r, uint32_t task, uint32_t code)
{
    const pooled_mix_args a = {task, 1, {task, 0, 0, 0}, code};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle h;
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.flags = HEDDLE_POOL_NOTIFY;
    t.user = task;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &h));
    return h;
}

static void check_harvest(rig *r)
{
    heddle_pool_end ends[7];
    uint8_t seen[100] = {0};
    uint32_t i, total = 0;
    size_t n;
    heddle_handle h = 0;
    for (i = 0; i < 100; i++)
        h = notify(r, 1000 + i, i == 50 ? 4 : 0);
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL)); /* it does not use the notice up */
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    while (total < 100) {
        CHECK_OK(NULL, heddle_pool_harvest(r->pool, ends, 7, HEDDLE_FOREVER, &n));
        CHECK(n >= 1 && n <= 7);
        for (i = 0; i < n; i++) {
            CHECK(!seen[ends[i].user - 1000]++);
            CHECK(ends[i].status == (ends[i].user == 1050 ? HEDDLE_EBODY : HEDDLE_OK));
        }
        total += (uint32_t)n;
    }
    CHECK(heddle_pool_harvest(r->pool, ends, 7, 0, &n) == HEDDLE_EBUSY && n == 0);
    CHECK(heddle_pool_test(r->pool, h, NULL) == HEDDLE_EINVAL);
}

static void check_descriptor(rig *r)
{
    struct pollfd fd = {-1, POLLIN, 0};
    heddle_pool_end ends[100];
    uint32_t total = 0, i;
    size_t n;
    CHECK_OK(NULL, heddle_pool_fd(r->pool, &fd.fd));
    CHECK(poll(&fd, 1, 0) == 0);
    for (i = 0; i < 10; i++)
        (void)notify(r, 1000 + i, 0);
    while (total < 10) {
        CHECK(poll(&fd, 1, 10000) == 1);
        CHECK_OK(NULL, heddle_pool_harvest(r->pool, ends, 3, 0, &n));
        total += (uint32_t)n;
    }
    CHECK(poll(&fd, 1, 0) == 0);
}

typedef struct heard {
    rig *r;
    uint32_t n, n_followed;
} heard;

/* Each notice spawns another task, once. */
static void hear(void *arg, const heddle_pool_end *end)
{
    heard *h = arg;
    if (end->user < 1100)
        (void)notify(h->r, 1100 + (uint32_t)(end->user - 1000), 0);
    __atomic_add_fetch(end->user < 1100 ? &h->n : &h->n_followed, 1, __ATOMIC_RELAXED);
}

static void check_function(rig *r)
{
    heard h = {r, 0, 0};
    uint32_t i;
    CHECK_OK(NULL, heddle_pool_on_done(r->pool, hear, &h));
    for (i = 0; i < 20; i++)
        (void)notify(r, 1000 + i, 0);
    while (__atomic_load_n(&h.n_followed, __ATOMIC_RELAXED) < 20)
        sched_yield();
    CHECK_OK(NULL, heddle_pool_on_done(r->pool, NULL, NULL));
    CHECK(h.n == 20);
}

/* An urgent task goes before those that wait, by one worker in this order. */
static void check_urgent(heddle_backend b)
{
    rig *r;
    uint32_t i, want;
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    const pooled_mix_args a = {9, 1, {0, 0, 0, 0}, 0};
    r = rig_open(b, 1, 64);
    await_gates(r, gate(r, 0, 0, 0), 1);
    for (i = 0; i < 3; i++)
        (void)mix(r, i, 0, 0, NULL, 0);
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.urgent = 1;
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
    open_gate(r);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    want = 10;
    for (i = 0; i < 3; i++)
        want = want * 31u + i + 1u;
    CHECK_MSG(r->cells[0] == want, "%u, not %u", r->cells[0], want);
    rig_close(r);
}

/* ---- full, and beside others ------------------------------------------------------------------------------------------- */

static void check_full(heddle_backend b, uint32_t n)
{
    rig *r;
    heddle_handle h[32], more;
    const pooled_mix_args a = {1, 0, {0, 0, 0, 0}, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    uint32_t i;
    r = rig_open(b, n, 5); /* 32 are the least */
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    for (i = 0; i < 32; i++)
        h[i] = mix(r, i, i, 0, NULL, 0);
    t.flags = HEDDLE_POOL_TRY;
    CHECK(heddle_pool_spawn_task(r->pool, &t, &more) == HEDDLE_EBUSY);
    t.flags = 0;
    CHECK(heddle_pool_spawn_task(r->pool, &t, &more) == HEDDLE_EBUSY); /* waiting would not help */
    CHECK(strstr(heddle_error_text(NULL), "nobody has seen"));
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h[7], HEDDLE_FOREVER, NULL));
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, &more));
    CHECK((uint32_t)more == (uint32_t)h[7] && more != h[7]);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (i = 0; i < 5000; i++) /* without handles the table never fills up for good */
        CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_mix, &a, sizeof a, 0, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    CHECK(r->ran[1] == 5002);
    rig_close(r);
}

/* A graph runs while the pool is open, and while a task of it waits on a thread. */
static void check_graph_beside(rig *r)
{
    const pooled_mix_args a = {5, 1, {950, 0, 0, 0}, 0};
    heddle_graph *g;
    uint32_t i, before = r->ran[5];
    CHECK_OK(r->ctx, heddle_graph_new(r->ctx, &pooled, &g));
    for (i = 0; i < 50; i++)
        CHECK_OK(r->ctx,
                 heddle_graph_add(g, pooled_mix, &a, sizeof a, HEDDLE_RANGES(HEDDLE_INOUT(&r->cells[950], 4)), NULL));
    for (i = 0; i < 20; i++) {
        (void)mix(r, 6, 960 + i, 0, NULL, 0);
        CHECK_OK(r->ctx, heddle_graph_run(r->ctx, g, &r->params, sizeof r->params));
    }
    CHECK(r->ran[5] - before == 20 * 50);
    heddle_graph_free(g);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    if (!r->is_serial)
        CHECK(heddle_ctx_reconfigure(r->ctx, NULL) == HEDDLE_EBUSY);
}

static void check_stats(rig *r)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    heddle_pool_info i = HEDDLE_POOL_INFO_INIT, older;
    CHECK_OK(NULL, heddle_pool_get_stats(r->pool, &s));
    CHECK_MSG(s.n_spawned > 900 && s.n_ended == s.n_spawned && s.n_failed > 3 && s.n_canceled > 3 &&
                  (s.n_children > 100 || r->no_spawns),
              "%llu %llu %llu %llu %llu", (unsigned long long)s.n_spawned, (unsigned long long)s.n_ended,
              (unsigned long long)s.n_failed, (unsigned long long)s.n_canceled, (unsigned long long)s.n_children);
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &i));
    CHECK(i.n_slots == 1024 && i.shared_bytes == 256 && i.n_workers >= 1);
    CHECK(i.slot_bytes > 100 + i.slot_pinned_bytes + i.slot_device_bytes); /* what the host itself knows of a slot */
    CHECK((i.slot_pinned_bytes > 0) == (r->backend == HEDDLE_CUDA) &&
          (i.slot_device_bytes > 0) == (r->backend == HEDDLE_CUDA));
    older = (heddle_pool_info){.size = offsetof(heddle_pool_info, slot_pinned_bytes), .slot_pinned_bytes = 7};
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &older));
    CHECK(older.slot_bytes == i.slot_bytes && older.slot_pinned_bytes == 7); /* beyond the old end: not written */
}

static void check_no_limit(rig *r)
{
    const pooled_gate_args a = {1};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_gate;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.time_limit_ms = 20;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), ENODEV, "time limit");
}

/* A resident kernel has as few blocks as the context asks for, with 32 teams at most; other modes have 32 streams. */
static void check_few(void)
{
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    rig *r = rig_open(HEDDLE_CUDA, 2, 1024);
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &info));
    CHECK_MSG(info.n_workers <= 64, "%u workers: %s", info.n_workers, info.how);
    check_many(r);
    rig_close(r);
}

static void check_all(heddle_backend b, uint32_t n)
{
    rig *r;
    printf("%s, %u\n", heddle_backend_name(b), n);
    fflush(stdout);
    r = rig_open(b, n, 1024);
    check_order(r);
    check_ends(r);
    check_widths(r);
    check_rests(r);
    check_lazy(r);
    check_no_time(r);
    check_many(r);
    check_blocks(r);
    check_kinds(r);
    if (!r->no_spawns)
        check_trees(r);
    check_failures(r);
    if (!r->no_spawns)
        check_bad_trees(r);
    if (b != HEDDLE_SERIAL) /* there a gate would close for ever */
        check_cancel(r);
    check_harvest(r);
    if (pooled_has_no_limits(b))
        check_no_limit(r);
    else
        check_limit(r);
    check_descriptor(r);
    check_function(r);
    check_graph_beside(r);
    check_stats(r);
    check_long(r);
    rig_close(r);
    if (b == HEDDLE_CUDA)
        check_few();
    check_full(b, n);
}

int main(int argc, char **argv)
{
    pooled_everywhere(argc, argv, check_all);
    if (!pooled_wants_gpu(argc, argv))
        check_urgent(HEDDLE_CPU);
    return 0;
}
