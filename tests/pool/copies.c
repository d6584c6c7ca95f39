/* SPDX-License-Identifier: MIT */
/* copies.c - tasks that read and write host memory: of the pool's, pinned, and neither; of all sizes and alignments, with room for it at
 * the worker or not, in place or not, in one block or several; alone and in chains. The bytes are those of a plain loop, and bytes
 * beside them stay; large ones, which a GPU's copy engines copy. What is refused. HEDDLE_PROGRAMS: how many random programs (40). */
#include "pool/bodies.h"

#include <stdio.h>

#define N_BYTES (1u << 20)
#define MOST_TASKS 200u
#define COPY_BYTES 8192u

enum { OWN, PINNED, PLAIN, N_KINDS };

typedef struct rig {
    heddle_ctx *ctx;
    heddle_pool *pool;
    uint8_t *memory[N_KINDS], *want; /* each part is used by one task, but for chains */
} rig;

static rig *rig_open(heddle_backend b, uint32_t n_workers)
{
    rig *r = calloc(1, sizeof *r);
    heddle_pool_config pc = HEDDLE_POOL_CONFIG_INIT;
    const pooled_params none = {NULL, NULL, NULL, NULL, NULL};
    CHECK(r != NULL);
    pc.n_slots = 128;
    pc.copy_bytes = COPY_BYTES;
    r->ctx = pooled_context(b, n_workers);
    CHECK_OK(NULL, heddle_pool_new(r->ctx, pooled_table(), &none, sizeof none, &pc, &r->pool));
    r->want = calloc(1, N_BYTES);
    r->memory[PLAIN] = calloc(1, N_BYTES);
    CHECK(posix_memalign((void **)&r->memory[PINNED], 4096, N_BYTES) == 0 && r->want && r->memory[PLAIN]);
    CHECK_OK(NULL, heddle_pool_pin(r->pool, r->memory[PINNED], N_BYTES));
    CHECK_OK(NULL, heddle_pool_mem_new(r->pool, N_BYTES, (void **)&r->memory[OWN]));
    return r;
}

static void rig_close(rig *r)
{
    CHECK_OK(NULL, heddle_pool_mem_free(r->pool, r->memory[OWN]));
    CHECK_OK(NULL, heddle_pool_unpin(r->pool, r->memory[PINNED]));
    heddle_pool_free(r->pool);
    heddle_ctx_close(r->ctx);
    free(r->memory[PINNED]);
    free(r->memory[PLAIN]);
    free(r->want);
    free(r);
}

static uint32_t some_bytes(uint64_t *seed)
{
    return 1u + (uint32_t)check_below(seed, check_below(seed, 6) ? 300 : 3u * COPY_BYTES / 2u);
}

/* A task with an input of one kind and an output, or both in one, of another. */
static heddle_status spawn(rig *r, uint64_t *seed, const uint8_t *in, uint8_t *out, uint32_t n, uint32_t code,
                           const heddle_range *ranges, uint32_t n_ranges, heddle_handle *handle)
{
    const int both = in == out;
    pooled_copy_args a = {NULL, NULL, n, code};
    heddle_pool_copy copies[2] = {
        {(void *)(uintptr_t)in, n, both ? HEDDLE_MODE_INOUT : HEDDLE_MODE_IN, offsetof(pooled_copy_args, in),
         check_below(seed, 4) == 0, 0},
        {out, n, HEDDLE_MODE_OUT, offsetof(pooled_copy_args, out), check_below(seed, 4) == 0, 0}};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = pooled_copy;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.team_size = 32u * (1u + (uint32_t)check_below(seed, 4));
    t.n_blocks = (uint32_t)check_below(seed, 8) ? 1u : 3u;
    t.copies = copies;
    t.n_copies = both ? 1 : 2;
    t.ranges = ranges;
    t.n_ranges = n_ranges;
    return heddle_pool_spawn_task(r->pool, &t, handle);
}

static uint8_t changed(uint8_t b) { return (uint8_t)(b * 3u + 1u); }

/* Each task has bytes of its own in two kinds of memory, at any alignment. */
static void run_apart(rig *r, uint64_t seed)
{
    heddle_handle h[MOST_TASKS];
    uint32_t t, i, at[MOST_TASKS], n[MOST_TASKS], from[MOST_TASKS], to[MOST_TASKS], end = 0, n_tasks = 0;
    const uint32_t most = 1u + (uint32_t)check_below(&seed, MOST_TASKS);
    for (i = 0; i < N_KINDS * N_BYTES; i++)
        r->memory[i / N_BYTES][i % N_BYTES] = (uint8_t)(i * 7u + (i >> 9));
    for (t = 0; t < most && end + 3u * COPY_BYTES < N_BYTES; t++, n_tasks++) {
        at[t] = end + (uint32_t)check_below(&seed, 40);
        n[t] = some_bytes(&seed);
        from[t] = (uint32_t)check_below(&seed, N_KINDS);
        to[t] = (uint32_t)check_below(&seed, N_KINDS);
        end = at[t] + n[t];
        h[t] = 0;
        CHECK_OK(NULL, spawn(r, &seed, r->memory[from[t]] + at[t], r->memory[to[t]] + at[t], n[t], 0, NULL, 0,
                             t % 16u == 0 ? &h[t] : NULL));
    }
    for (t = 0; t < n_tasks; t++)
        if (h[t]) {
            CHECK_OK(NULL, heddle_pool_wait(r->pool, h[t], HEDDLE_FOREVER, NULL));
            i = to[t] * N_BYTES + at[t];
            CHECK(r->memory[to[t]][at[t]] ==
                  changed((uint8_t)((from[t] * N_BYTES + at[t]) * 7u + ((from[t] * N_BYTES + at[t]) >> 9))));
        }
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (uint32_t k = 0; k < N_KINDS; k++) {
        for (i = 0; i < N_BYTES; i++)
            r->want[i] = (uint8_t)((k * N_BYTES + i) * 7u + ((k * N_BYTES + i) >> 9));
        for (t = 0; t < n_tasks; t++)
            for (i = at[t]; to[t] == k && i < at[t] + n[t]; i++)
                r->want[i] = changed((uint8_t)((from[t] * N_BYTES + i) * 7u + ((from[t] * N_BYTES + i) >> 9)));
        for (i = 0; i < N_BYTES; i++)
            CHECK_MSG(r->memory[k][i] == r->want[i], "memory %u, byte %u: %u, not %u", k, i, r->memory[k][i],
                      r->want[i]);
    }
}

/* Tasks that change the same bytes of pinned memory one after another, ordered by these ranges. */
static void run_chain(rig *r, uint64_t seed)
{
    const uint32_t n_parts = 5, n_tasks = 60;
    uint32_t t, i, k, times[5] = {0, 0, 0, 0, 0};
    const uint32_t n = some_bytes(&seed);
    memset(r->memory[OWN], 3, N_BYTES);
    for (t = 0; t < n_tasks; t++) {
        uint8_t *at = r->memory[OWN] + (k = (uint32_t)check_below(&seed, n_parts)) * 2u * COPY_BYTES + 5u;
        const heddle_range range = {at, n, 1, 0, HEDDLE_MODE_INOUT};
        times[k]++;
        CHECK_OK(NULL, spawn(r, &seed, at, at, n, 0, &range, 1, NULL));
    }
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    for (k = 0; k < n_parts; k++) {
        uint8_t want = 3;
        for (i = 0; i < times[k]; i++)
            want = changed(want);
        for (i = 0; i < n; i++)
            CHECK(r->memory[OWN][k * 2u * COPY_BYTES + 5u + i] == want);
        CHECK(r->memory[OWN][k * 2u * COPY_BYTES + 4u] == 3 && r->memory[OWN][k * 2u * COPY_BYTES + 5u + n] == 3);
    }
}

static void check_refused(rig *r)
{
    const pooled_copy_args a = {NULL, NULL, 4, 0};
    heddle_pool_copy c[5];
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    void *more;
    memset(c, 0, sizeof c);
    c[0] = (heddle_pool_copy){r->memory[PLAIN], 4, HEDDLE_MODE_IN, offsetof(pooled_copy_args, in), 0, 0};
    t.body = pooled_copy;
    t.args = &a;
    t.arg_bytes = sizeof a;
    t.n_copies = 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "copies is NULL");
    t.copies = c;
    t.n_copies = 5;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), ERANGE, "4 are the most");
    t.n_copies = 1;
    c[0].at = 4;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "byte 4");
    c[0].at = sizeof a;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "pointer");
    c[0].at = 0;
    c[0].reserved = 1;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "reserved");
    c[0].reserved = 0;
    c[0].n_bytes = 0;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), ERANGE, "0 bytes");
    c[0].n_bytes = 4;
    c[0].mode = (heddle_mode)0;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "mode");
    c[0].mode = HEDDLE_MODE_IN;
    c[0].host = NULL;
    POOLED_REFUSED(heddle_pool_spawn_task(r->pool, &t, NULL), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_mem_new(r->pool, 0, &more), ERANGE, "0 bytes");
    POOLED_REFUSED(heddle_pool_mem_new(r->pool, 8, NULL), EINVAL, "out");
    POOLED_REFUSED(heddle_pool_pin(r->pool, NULL, 8), EINVAL, "NULL");
    POOLED_REFUSED(heddle_pool_pin(r->pool, r->want, 0), ERANGE, "0 bytes");
    POOLED_REFUSED(heddle_pool_pin(r->pool, r->memory[PINNED] + 4096, 8), EINVAL, "pinned already");
    POOLED_REFUSED(heddle_pool_pin(r->pool, r->memory[OWN], 8), EINVAL, "pinned already");
    POOLED_REFUSED(heddle_pool_unpin(r->pool, r->memory[OWN]), EINVAL, "no such memory");
    POOLED_REFUSED(heddle_pool_mem_free(r->pool, r->memory[PINNED]), EINVAL, "no such memory");
    CHECK_OK(NULL, heddle_pool_mem_free(r->pool, NULL));
}

/* What a failed task leaves in memory that is not pinned is not copied back. */
static void check_failed(rig *r)
{
    uint64_t seed = 1;
    heddle_handle h;
    memset(r->memory[PLAIN], 9, 64);
    CHECK_OK(NULL, spawn(r, &seed, r->memory[PLAIN], r->memory[PLAIN] + 64, 32, 7, NULL, 0, &h));
    CHECK(heddle_pool_wait(r->pool, h, HEDDLE_FOREVER, NULL) == HEDDLE_EBODY);
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
}

/* Memory that is not pinned, in pieces that no worker has room for: read, written, both; of a task that fails nothing is copied back. */
static void check_large(rig *r)
{
    const uint32_t n = (3u << 20) + 77u, n_tasks = 9;
    uint8_t *in = malloc(n + 1u), *out[9];
    uint32_t t, i;
    uint64_t seed = 3;
    heddle_handle h[9];
    CHECK(in != NULL);
    for (i = 0; i <= n; i++)
        in[i] = (uint8_t)(i * 5u + (i >> 13));
    for (t = 0; t < n_tasks; t++) {
        out[t] = malloc(n + 1u);
        CHECK(out[t] != NULL);
        memcpy(out[t], in, n + 1u);
        CHECK_OK(NULL, spawn(r, &seed, t % 2u ? in : out[t], out[t], n, t == 4 ? 7u : 0u, NULL, 0, &h[t]));
    }
    for (t = 0; t < n_tasks; t++) {
        CHECK(heddle_pool_wait(r->pool, h[t], HEDDLE_FOREVER, NULL) == (t == 4 ? HEDDLE_EBODY : HEDDLE_OK));
        for (i = 0; t != 4 && i < n; i++)
            CHECK_MSG(out[t][i] == changed(in[i]), "task %u, byte %u", t, i);
        CHECK(out[t][n] == in[n]);
        free(out[t]);
    }
    CHECK_OK(NULL, heddle_pool_wait_all(r->pool, HEDDLE_FOREVER));
    free(in);
}

static void check_all(heddle_backend b, uint32_t n_workers, uint32_t n_programs, uint64_t *seed)
{
    rig *r = rig_open(b, n_workers);
    uint32_t i;
    check_refused(r);
    check_failed(r);
    check_large(r);
    for (i = 0; i < n_programs; i++) {
        run_apart(r, check_random(seed));
        run_chain(r, check_random(seed));
    }
    rig_close(r);
}

int main(int argc, char **argv) { return pooled_programs(argc, argv, 20261128, 40u, check_all); }
