/* SPDX-License-Identifier: MIT */
/* wrap.c - the generations of slots begin anew after the last one: tasks go on in their order, each runs once, handles name them and are
 * never 0, and those of tasks that were seen name nothing. Serially, on an emulated block, and on threads. */
#include "engine/pool/pool.h"
#include "pool/bodies.h"

#define N_SLOTS 32u
#define ROUNDS 6u
#define LAST (UINT32_MAX >> HD_TOLD_BITS)

static uint32_t cells[N_SLOTS], ran[N_SLOTS], gate, began;

/* All slots are free, three generations before the end. */
static void age(heddle_pool *p)
{
    for (uint32_t i = 0; i < p->n_slots; i++)
        p->marks[i] = hd_told_of(LAST - 3u, HD_MARK_FREE);
}

/* Task i comes after the one before, and mixes the same cell. */
static heddle_handle spawn(heddle_pool *p, uint32_t i, const heddle_handle *before)
{
    const pooled_mix_args a = {i, 1, {0, 0, 0, 0}, 0};
    const heddle_pool_task t = pooled_mix_task(&a, before, before != NULL);
    heddle_handle h;
    CHECK_OK(NULL, heddle_pool_spawn_task(p, &t, &h));
    CHECK(h != 0);
    return h;
}

/* As many tasks as there are slots. Returns whether the generations have begun anew. */
static int check_round(heddle_pool *p, heddle_handle *old)
{
    heddle_handle h[N_SLOTS];
    uint32_t want = 0;
    cells[0] = 0;
    memset(ran, 0, sizeof ran);
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        h[i] = spawn(p, i, i ? &h[i - 1u] : NULL);
        want = want * 31u + i + 1u;
    }
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        CHECK_OK(NULL, heddle_pool_wait(p, h[i], HEDDLE_FOREVER, NULL));
        CHECK(ran[i] == 1 && heddle_pool_test(p, h[i], NULL) == HEDDLE_EINVAL);
        if (*old)
            CHECK(heddle_pool_test(p, *old, NULL) == HEDDLE_EINVAL && *old != h[i]);
    }
    CHECK(cells[0] == want);
    *old = h[0];
    return h[0] >> 32 < LAST / 2u;
}

static void check(heddle_backend b, uint32_t n)
{
    const pooled_params params = {cells, ran, cells, &gate, &began};
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    heddle_handle old = 0;
    heddle_ctx *ctx;
    heddle_pool *p;
    uint32_t n_new = 0;
    c.backend = b;
    if (b == HEDDLE_SERIAL)
        c.team_size = n;
    else
        c.n_workers = n;
    pc.n_slots = N_SLOTS;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK_OK(NULL, heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &pc, &p));
    age(p);
    for (uint32_t k = 0; k < ROUNDS; k++)
        n_new += (uint32_t)check_round(p, &old);
    CHECK_MSG(n_new > 0 && n_new < ROUNDS, "%u", n_new);
    heddle_pool_free(p);
    heddle_ctx_close(ctx);
}

int main(void)
{
    check(HEDDLE_SERIAL, 1);
    check(HEDDLE_SERIAL, 4);
    for (uint32_t n = 1; n <= 4; n++)
        check(HEDDLE_CPU, n);
    return 0;
}
