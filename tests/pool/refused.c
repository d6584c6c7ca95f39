/* SPDX-License-Identifier: MIT */
/* refused.c - what heddle/pool.h refuses: each bad argument with its status and a word of its sentence, and nothing half made;
 * calls from inside of bodies; handles that are stale or of another pool; an arena that is too small. */
#include "pool/bodies.h"

#include <stdio.h>

typedef struct rig {
    heddle_ctx *ctx, *other_ctx;
    heddle_pool *pool, *other;
    uint32_t cells[64], ran[64], gate, began;
    pooled_params params;
    int no_spawns;
} rig;

static heddle_status open_with(rig *r, heddle_pool_config c, heddle_pool **out)
{
    return heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, &c, out);
}

static void check_opening(rig *r)
{
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    heddle_table old = *pooled_table(), graphs = *pooled_table();
    heddle_pool *p = r->pool;
    old.core_version--;
    graphs.has_pools = 0;
    POOLED_REFUSED(heddle_pool_new(NULL, pooled_table(), &r->params, sizeof r->params, NULL, &p), EDEVICE, "context");
    CHECK(p == NULL);
    POOLED_REFUSED(heddle_pool_new(r->ctx, NULL, &r->params, sizeof r->params, NULL, &p), EINVAL, "table is NULL");
    POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, NULL), EINVAL,
                   "out is NULL");
    POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), NULL, sizeof r->params, NULL, &p), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), &r->params, 3, NULL, &p), EINVAL, "3 bytes");
    POOLED_REFUSED(heddle_pool_new(r->ctx, &old, &r->params, sizeof r->params, NULL, &p), EVERSION, "version");
    POOLED_REFUSED(heddle_pool_new(r->ctx, &graphs, &r->params, sizeof r->params, NULL, &p), EINVAL,
                   "HEDDLE_POOL_TABLE");
    c.mode = HEDDLE_N_POOL_MODES;
    POOLED_REFUSED(open_with(r, c, &p), EINVAL, "no mode");
    c.mode = HEDDLE_POOL_AUTO;
    c.team_size = 33;
    POOLED_REFUSED(open_with(r, c, &p), EINVAL, "multiple of 32");
    c.team_size = 1024;
    POOLED_REFUSED(open_with(r, c, &p), ERANGE, "1024");
    c.team_size = 0;
    c.n_slots = HEDDLE_POOL_MOST_SLOTS + 1;
    POOLED_REFUSED(open_with(r, c, &p), ERANGE, "slots");
    c.n_slots = 0;
    c.n_trace = HEDDLE_POOL_MOST_TRACE + 1;
    POOLED_REFUSED(open_with(r, c, &p), ERANGE, "records");
    c.size = 3;
    POOLED_REFUSED(open_with(r, c, &p), EINVAL, "INIT");
    setenv("HEDDLE_POOL_SLOTS", "many", 1);
    POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, &p), EINVAL,
                   "HEDDLE_POOL_SLOTS");
    unsetenv("HEDDLE_POOL_SLOTS");
    setenv("HEDDLE_POOL_TRACE", "-1", 1);
    POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, &p), EINVAL,
                   "HEDDLE_POOL_TRACE");
    unsetenv("HEDDLE_POOL_TRACE");
    CHECK(p == NULL);
}

static void check_spawning(rig *r)
{
    const pooled_mix_args a = {1, 1, {1, 0, 0, 0}, 0};
    const heddle_handle none = 0;
    const heddle_range empty = {&a, 0, 1, 0, HEDDLE_MODE_IN}, modeless = {&a, 4, 1, 0, (heddle_mode)0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    heddle_handle h = 7;
    size_t n = 7;
    char most[32];
    CHECK_OK(NULL, heddle_pool_get_info(r->pool, &info));
    snprintf(most, sizeof most, "; %u are the most", info.most_threads);
    POOLED_REFUSED(heddle_pool_spawn(NULL, pooled_mix, &a, sizeof a, 32, &h), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_spawn(r->pool, pooled_n_bodies, &a, sizeof a, 32, &h), EINVAL, "no body");
    CHECK(h == 0);
    POOLED_REFUSED(heddle_pool_spawn(r->pool, pooled_mix, &a, 4, 32, &h), EINVAL, "argument bytes");
    POOLED_REFUSED(heddle_pool_spawn(r->pool, pooled_mix, NULL, sizeof a, 32, &h), EINVAL, "args is NULL");
    POOLED_REFUSED(heddle_pool_spawn(r->pool, pooled_mix, &a, sizeof a, 31, &h), EINVAL, "multiple of 32");
    POOLED_REFUSED(heddle_pool_spawn(r->pool, pooled_mix, &a, sizeof a, 1024, &h), ERANGE, most);
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, NULL, &h), EINVAL, "NULL");
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.flags = 64;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "flags");
    t.flags = 0;
    t.shared_bytes = 257;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), ERANGE, "256 are the most");
    t.shared_bytes = 0;
    t.n_ranges = 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "ranges is NULL");
    t.ranges = &empty;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), ERANGE, "0 bytes");
    t.ranges = &modeless;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "mode");
    t.n_ranges = 0;
    t.n_after = HEDDLE_POOL_MOST_AFTER + 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), ERANGE, "15");
    t.n_after = 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "after is NULL");
    t.after = &none;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "handle 0");
    POOLED_REFUSED(heddle_pool_spawn_many(r->pool, &t, &a, 0, 3, NULL, &n), EINVAL, "handle 0");
    CHECK(n == 0);
    t.n_after = 0;
    POOLED_REFUSED(heddle_pool_spawn_many(r->pool, &t, NULL, 0, 3, NULL, &n), EINVAL, "args is NULL");
    t.body = pooled_tree;
    t.arg_bytes = sizeof(pooled_tree_args);
    t.n_blocks = 2;
    if (pooled_is_flat())
        POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "there is no body");
    else if (r->no_spawns)
        POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), ENODEV, "spawns tasks");
    else
        POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "one block");
    t.size = 0;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, &h), EINVAL, "INIT");
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    CHECK(r->ran[1] == 0);
}

static void check_handles(rig *r)
{
    const pooled_mix_args a = {2, 1, {2, 0, 0, 0}, 0}, another = {3, 1, {3, 0, 0, 0}, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle h, theirs, bad[] = {0, ~0ull, 5ull << 32};
    heddle_pool_end end;
    size_t which, n;
    uint32_t i;
    CHECK_OK(NULL, heddle_pool_spawn(r->other, pooled_mix, &another, sizeof another, 32, &theirs));
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_mix, &a, sizeof a, 32, &h));
    POOLED_REFUSED(heddle_pool_wait(r->pool, theirs, HEDDLE_FOREVER, NULL), EINVAL, "names no task");
    POOLED_REFUSED(heddle_pool_cancel(r->pool, theirs), EINVAL, "names no task");
    for (i = 0; i < 3; i++) {
        POOLED_REFUSED(heddle_pool_wait(r->pool, bad[i], HEDDLE_FOREVER, NULL), EINVAL, "names no task");
        POOLED_REFUSED(heddle_pool_test(r->pool, bad[i], NULL), EINVAL, "names no task");
        POOLED_REFUSED(heddle_pool_cancel(r->pool, bad[i]), EINVAL, "names no task");
    }
    POOLED_REFUSED(heddle_pool_wait_any(r->pool, NULL, 1, 0, &which, NULL), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_wait_any(r->pool, &h, 0, 0, &which, NULL), EINVAL, "no handles");
    POOLED_REFUSED(heddle_pool_wait_any(r->pool, &h, 1, 0, NULL, NULL), EINVAL, "which");
    CHECK_OK(NULL, heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL));
    POOLED_REFUSED(heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL), EINVAL, "was seen");
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.after = &h;
    t.n_after = 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "handle 0");
    POOLED_REFUSED(heddle_pool_harvest(r->pool, NULL, 1, 0, &n), EINVAL, "out");
    POOLED_REFUSED(heddle_pool_harvest(r->pool, &end, 0, 0, &n), EINVAL, "n_max");
    POOLED_REFUSED(heddle_pool_harvest(r->pool, &end, 1, 0, NULL), EINVAL, "n_out");
    POOLED_REFUSED(heddle_pool_fd(r->pool, NULL), EINVAL, "out");
    POOLED_REFUSED(heddle_pool_get_info(r->pool, NULL), EINVAL, "out");
    POOLED_REFUSED(heddle_pool_get_stats(r->pool, NULL), EINVAL, "out");
    CHECK_OK(NULL, heddle_pool_wait(r->other, theirs, HEDDLE_FOREVER, NULL));
}

/* r->pool has no trace; a traced one refuses bad arguments only. */
static void check_traces(rig *r)
{
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    heddle_pool_body_stats s = HEDDLE_POOL_BODY_STATS_INIT;
    heddle_pool_record one;
    heddle_pool *p;
    size_t n = 7;
    POOLED_REFUSED(heddle_pool_get_body_stats(r->pool, 0, &s), EINVAL, "without a trace");
    POOLED_REFUSED(heddle_pool_get_records(r->pool, &one, 1, &n), EINVAL, "without a trace");
    CHECK(n == 0);
    POOLED_REFUSED(heddle_pool_write_trace(r->pool, "/dev/null"), EINVAL, "without a trace");
    POOLED_REFUSED(heddle_pool_write_timeline(r->pool, "/dev/null", NULL), EINVAL, "without a trace");
    POOLED_REFUSED(heddle_pool_write_trace(NULL, "/dev/null"), EINVAL, "NULL");
    c.n_trace = 4;
    heddle_pool_free(r->other);
    CHECK_OK(NULL, heddle_pool_new(r->other_ctx, pooled_table(), &r->params, sizeof r->params, &c, &p));
    r->other = p;
    POOLED_REFUSED(heddle_pool_get_body_stats(p, pooled_n_bodies, &s), EINVAL, "bodies");
    POOLED_REFUSED(heddle_pool_get_body_stats(p, 0, NULL), EINVAL, "body 0");
    POOLED_REFUSED(heddle_pool_get_records(p, NULL, 1, &n), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_get_records(p, &one, 1, NULL), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_write_trace(p, NULL), EINVAL, "path is NULL");
    POOLED_REFUSED(heddle_pool_write_timeline(p, NULL, NULL), EINVAL, "path is NULL");
    POOLED_REFUSED(heddle_pool_write_trace(p, "/nowhere/at/all"), EIO, "/nowhere");
    CHECK_OK(NULL, heddle_pool_get_records(p, NULL, 0, &n));
    CHECK_OK(NULL, heddle_pool_get_body_stats(p, 0, &s));
    CHECK(n == 0 && s.n_tasks == 0 && s.body.n == 0 && s.body.p99_ns == 0);
}

/* A second call of the function by itself would wait for itself. */
static heddle_status said_inside;
static void call_inside(void *arg, const heddle_pool_end *end)
{
    (void)end;
    said_inside = heddle_pool_on_done(((rig *)arg)->pool, NULL, NULL);
    __atomic_store_n(&((rig *)arg)->began, 1, __ATOMIC_RELEASE);
}

static void check_inside(rig *r)
{
    const pooled_mix_args a = {3, 1, {3, 0, 0, 0}, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.flags = HEDDLE_POOL_NOTIFY;
    CHECK_OK(NULL, heddle_pool_on_done(r->pool, call_inside, r));
    CHECK_OK(NULL, heddle_pool_spawn_task(r->pool, &t, NULL));
    while (!__atomic_load_n(&r->began, __ATOMIC_ACQUIRE))
        sched_yield();
    CHECK(said_inside == HEDDLE_EINVAL);
    CHECK_OK(NULL, heddle_pool_on_done(r->pool, NULL, NULL));
}

/* Bodies that need more room than the arena has: the pool says so, and can be freed. */
static void check_room(heddle_backend b)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    rig *r = calloc(1, sizeof *r);
    const pooled_tree_args a = {0, 6, POOLED_WIDTH, 0, 1};
    heddle_handle h;
    heddle_status s;
    uint32_t *much = calloc(1u << 24, 4);
    c.backend = b;
    c.n_workers = b == HEDDLE_CPU ? 2 : 0;
    c.n_arena = 64;
    r->params = (pooled_params){much, much, much, &r->gate, &r->began};
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    CHECK_OK(NULL, heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, &r->pool));
    CHECK_OK(NULL, heddle_pool_spawn(r->pool, pooled_tree, &a, sizeof a, 32, &h));
    s = heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL);
    CHECK_MSG(s == HEDDLE_ENOMEM || s == HEDDLE_ECANCELED || s == HEDDLE_OK, "%s", heddle_error_text(NULL));
    printf("%s, an arena of 64: %s\n", heddle_backend_name(b), s == HEDDLE_OK ? "enough" : heddle_error_text(NULL));
    heddle_pool_free(r->pool);
    heddle_ctx_close(r->ctx);
    free(much);
    free(r);
}

static void check_all(heddle_backend b)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    rig *r = pooled_new(b, sizeof *r);
    c.backend = b;
    c.n_workers = b == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&r->ctx, &c));
    r->params = (pooled_params){r->cells, r->ran, r->cells, &r->gate, &r->began};
    r->no_spawns = pooled_has_no_spawns(b);
    check_opening(r);
    CHECK_OK(NULL, heddle_ctx_open(&r->other_ctx, &c));
    CHECK_OK(NULL, heddle_pool_new(r->other_ctx, pooled_table(), &r->params, sizeof r->params, NULL, &r->other));
    CHECK_OK(NULL, heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, &r->pool));
    if (b == HEDDLE_CPU) {
        heddle_pool *second;
        POOLED_REFUSED(heddle_pool_new(r->ctx, pooled_table(), &r->params, sizeof r->params, NULL, &second), EBUSY,
                       "open pool");
        CHECK(second == NULL);
    }
    check_spawning(r);
    check_handles(r);
    check_inside(r);
    check_traces(r);
    heddle_pool_free(r->other);
    heddle_pool_free(r->pool);
    heddle_pool_free(NULL);
    heddle_ctx_close(r->other_ctx);
    heddle_ctx_close(r->ctx);
    pooled_free(b, r);
    if (b != HEDDLE_CUDA)
        check_room(b);
}

int main(int argc, char **argv)
{
    uint32_t k;
    if (pooled_wants_gpu(argc, argv)) {
        for (k = 0; pooled_set_mode(k); k++)
            check_all(HEDDLE_CUDA);
        return 0;
    }
    check_all(HEDDLE_SERIAL);
    check_all(HEDDLE_CPU);
    return 0;
}
