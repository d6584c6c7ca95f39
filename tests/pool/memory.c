/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of a pool is made to fail, one a time: opening, and spawning with ranges, say ENOMEM with a sentence and
 * leak nothing; the pool that opens works, and the next task with ranges comes after the earlier ones. Of a
 * traced pool records and files are ENOMEM, too, and the next call succeeds. */
#include "base/base.h"
#include "pool/bodies.h"

#include <string.h>

static uint32_t cells[64], ran[64], gate, began;

/* Writers of a cell and readers of all in turns. Writers that were spawned run in their order. Returns how many calls had no memory. */
static uint32_t use_ranges(heddle_pool *p)
{
    pooled_mix_args a = {1, 1, {1, 0, 0, 0}, 0};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_range range;
    uint32_t i, failed = 0, want = 0;
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.ranges = &range;
    t.n_ranges = 1;
    cells[1] = 0;
    for (i = 0; i < 80; i++) {
        const int writes = i % 40 < 20;
        heddle_status s;
        range = writes ? (heddle_range){&cells[1], sizeof *cells, 1, 0, HEDDLE_MODE_INOUT}
                       : (heddle_range){cells, sizeof cells, 1, 0, HEDDLE_MODE_IN};
        a.task = i % 40;
        a.n_cells = writes;
        s = heddle_pool_spawn_task(p, &t, NULL);
        CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && strstr(heddle_error_text(NULL), "order of ranges")), "%s",
                  heddle_error_text(NULL));
        failed += s != HEDDLE_OK;
        if (s == HEDDLE_OK && writes)
            want = want * 31u + a.task + 1u;
    }
    CHECK_OK(NULL, heddle_pool_wait_all(p, HEDDLE_FOREVER));
    CHECK(cells[1] == want);
    return failed;
}

/* Returns whether all calls succeeded. */
static int tell(heddle_pool *p)
{
    heddle_pool_record r[4];
    size_t n;
    int done = 1, k;
    for (k = 0; k < 3; k++) {
        const heddle_status s = k == 0   ? heddle_pool_get_records(p, r, 4, &n)
                                : k == 1 ? heddle_pool_write_trace(p, "/dev/null")
                                         : heddle_pool_write_timeline(p, "/dev/null", NULL);
        CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && *heddle_error_text(NULL)), "%d: %s", k,
                  heddle_status_text(s));
        done &= s == HEDDLE_OK;
    }
    return done;
}

static int use(heddle_ctx *ctx, uint32_t n_trace)
{
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    int done = 1;
    const pooled_params params = {cells, ran, cells, &gate, &began};
    const pooled_mix_args a = {1, 1, {1, 0, 0, 0}, 0};
    const pooled_tree_args tree = {0, 1, 2, 0, 1};
    heddle_pool *p;
    heddle_handle h;
    heddle_status s;
    c.n_trace = n_trace;
    s = heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &c, &p);
    if (s != HEDDLE_OK) {
        CHECK_MSG(s == HEDDLE_ENOMEM && p == NULL && *heddle_error_text(NULL), "%s", heddle_status_text(s));
        return 0;
    }
    s = heddle_pool_spawn(p, pooled_mix, &a, sizeof a, 32, &h);
    if (s == HEDDLE_OK)
        CHECK_OK(NULL, heddle_pool_wait(p, h, HEDDLE_FOREVER, NULL));
    CHECK_OK(NULL, heddle_pool_spawn(p, pooled_tree, &tree, sizeof tree, 32, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(p, HEDDLE_FOREVER));
    done = use_ranges(p) == 0;
    if (n_trace)
        done &= tell(p);
    heddle_pool_free(p);
    return done;
}

static void check(heddle_backend b, uint32_t n_trace)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint64_t n, before;
    int done = 0;
    c.backend = b;
    c.n_workers = b == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK(use(ctx, n_trace));
    before = hd_held_bytes();
    for (n = 1; !done; n++) {
        hd_fail_alloc_at(n);
        done = use(ctx, n_trace);
        hd_fail_alloc_at(0);
        CHECK_MSG(hd_held_bytes() == before, "allocation %llu: %llu bytes before, %llu after", (unsigned long long)n,
                  (unsigned long long)before, (unsigned long long)hd_held_bytes());
    }
    CHECK(n > 10);
    printf("%s%s: %llu allocations failed\n", heddle_backend_name(b), n_trace ? ", traced" : "",
           (unsigned long long)n - 2);
    heddle_ctx_close(ctx);
}

int main(void)
{
    check(HEDDLE_SERIAL, 0);
    check(HEDDLE_CPU, 0);
    check(HEDDLE_SERIAL, 10);
    check(HEDDLE_CPU, 10);
    return 0;
}
