/* SPDX-License-Identifier: MIT */
/* memory.c - every allocation of a pool is made to fail, one a time: opening says ENOMEM with a sentence and leaks nothing; the
 * pool that opens works. */
#include "base/base.h"
#include "pool/bodies.h"

#include <string.h>

static uint32_t cells[64], ran[64], gate, began;

static int use(heddle_ctx *ctx)
{
    const pooled_params params = {cells, ran, cells, &gate, &began};
    const pooled_mix_args a = {1, 1, {1, 0, 0, 0}, 0};
    const pooled_tree_args tree = {0, 1, 2, 0, 1};
    heddle_pool *p;
    heddle_handle h;
    heddle_status s = heddle_pool_new(ctx, &pooled, &params, sizeof params, NULL, &p);
    if (s != HEDDLE_OK) {
        CHECK_MSG(s == HEDDLE_ENOMEM && p == NULL && *heddle_error_text(NULL), "%s", heddle_status_text(s));
        return 0;
    }
    s = heddle_pool_spawn(p, pooled_mix, &a, sizeof a, 32, &h);
    if (s == HEDDLE_OK)
        CHECK_OK(NULL, heddle_pool_wait(p, h, HEDDLE_FOREVER, NULL));
    CHECK_OK(NULL, heddle_pool_spawn(p, pooled_tree, &tree, sizeof tree, 32, NULL));
    CHECK_OK(NULL, heddle_pool_wait_all(p, HEDDLE_FOREVER));
    heddle_pool_free(p);
    return 1;
}

static void check(heddle_backend b)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint64_t n, before;
    int done = 0;
    c.backend = b;
    c.n_workers = b == HEDDLE_CPU ? 2 : 0;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK(use(ctx));
    before = hd_held_bytes();
    for (n = 1; !done; n++) {
        hd_fail_alloc_at(n);
        done = use(ctx);
        hd_fail_alloc_at(0);
        CHECK_MSG(hd_held_bytes() == before, "allocation %llu: %llu bytes before, %llu after", (unsigned long long)n,
                  (unsigned long long)before, (unsigned long long)hd_held_bytes());
    }
    CHECK(n > 10);
    printf("%s: %llu allocations failed\n", heddle_backend_name(b), (unsigned long long)n - 2);
    heddle_ctx_close(ctx);
}

int main(void)
{
    check(HEDDLE_SERIAL);
    check(HEDDLE_CPU);
    return 0;
}
