/* SPDX-License-Identifier: MIT */
/* ranges.c - tasks that name ranges. Random ones on few bytes, of rows and strides, from several threads, with small tables, handles
 * and HEDDLE_POOL_TRY: each task ends before a later one begins that conflicts, by a byte-wise comparison. Many readers before many
 * writers, so that joins stand for them. A failed task is before all later ones until all were waited for. HEDDLE_PROGRAMS: how many
 * random programs (60). */
#include "pool/bodies.h"

#include <pthread.h>
#include <stdio.h>

#define N_ROWS 12u
#define N_COLS 16u
#define N_BYTES (N_ROWS * N_COLS)
#define N_READERS 900u
#define N_WORDS (N_BYTES / 64u)
#define MOST_TASKS 1500u
#define MOST_THREADS 3u

typedef struct bits {
    uint64_t word[N_WORDS];
} bits;

/* One thread's tasks, on bytes of its own; only their addresses count. */
typedef struct part {
    heddle_pool *pool;
    uint64_t seed;
    uint32_t first, n;
    const uint8_t *bytes;
    bits in[MOST_TASKS], out[MOST_TASKS];
} part;

typedef struct rig {
    uint32_t gate, began;
    uint32_t cells[2u * MOST_THREADS * MOST_TASKS], ran[MOST_THREADS * MOST_TASKS];
    uint8_t bytes[MOST_THREADS][N_BYTES];
    part parts[MOST_THREADS];
} rig;

/* The bytes of a range, from p->bytes on. */
static void add(bits *b, uint64_t first, const heddle_range *r)
{
    uint64_t row, i;
    for (row = 0; row < r->n_rows; row++)
        for (i = first + row * r->stride_bytes; i < first + row * r->stride_bytes + r->row_bytes; i++)
            b->word[i / 64u] |= 1ull << i % 64u;
}

static int meet(const bits *a, const bits *b)
{
    uint32_t i;
    for (i = 0; i < N_WORDS; i++)
        if (a->word[i] & b->word[i])
            return 1;
    return 0;
}

static heddle_range draw(part *p, uint32_t t)
{
    const uint64_t row = check_below(&p->seed, N_ROWS), col = check_below(&p->seed, N_COLS);
    const int is_all = check_below(&p->seed, 30) == 0;
    const uint64_t first = is_all ? 0 : row * N_COLS + col;
    const heddle_range r = {p->bytes + first, is_all ? N_BYTES : 1u + check_below(&p->seed, N_COLS - col),
                            is_all ? 1u : 1u + check_below(&p->seed, N_ROWS - row), N_COLS,
                            (heddle_mode)(1u + check_below(&p->seed, 3))};
    if (r.mode & HEDDLE_MODE_IN)
        add(&p->in[t], first, &r);
    if (r.mode & HEDDLE_MODE_OUT)
        add(&p->out[t], first, &r);
    return r;
}

static heddle_status stamp(part *p, uint32_t t, const heddle_range *ranges, size_t n, uint32_t flags, uint32_t code,
                           heddle_handle *out)
{
    const pooled_stamp_args a = {p->first + t, (uint32_t)check_below(&p->seed, 50), code};
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    heddle_status s;
    task.body = pooled_stamp;
    task.args = &a;
    task.arg_bytes = sizeof a;
    task.team_size = 32;
    task.ranges = ranges;
    task.n_ranges = n;
    task.flags = flags;
    do
        s = heddle_pool_spawn_task(p->pool, &task, out);
    while (s == HEDDLE_EBUSY && task.flags);
    return s;
}

/* Some have handles: at most two at a time, so that the table is never full of these. */
static void *run_part(void *arg)
{
    part *p = arg;
    heddle_handle last = 0;
    heddle_range ranges[3];
    uint32_t t, n;
    for (t = 0; t < p->n; t++) {
        const int has_handle = check_below(&p->seed, 7) == 0;
        if (has_handle && last)
            CHECK_OK(NULL, heddle_pool_wait(p->pool, last, HEDDLE_FOREVER, NULL));
        for (n = 0; n < 1u + t % 3u; n++)
            ranges[n] = draw(p, t);
        CHECK_OK(NULL,
                 stamp(p, t, ranges, n, check_below(&p->seed, 3) ? 0u : HEDDLE_POOL_TRY, 0, has_handle ? &last : NULL));
    }
    return NULL;
}

static void check_part(const rig *r, const part *p)
{
    uint32_t i, k;
    for (i = 0; i < p->n; i++) {
        CHECK_MSG(r->ran[p->first + i] == 1, "task %u ran %u times", i, r->ran[p->first + i]);
        for (k = 0; k < i; k++)
            if (meet(&p->out[k], &p->in[i]) || meet(&p->out[k], &p->out[i]) || meet(&p->in[k], &p->out[i]))
                CHECK_MSG(r->cells[2u * (p->first + k) + 1u] < r->cells[2u * (p->first + i)],
                          "task %u began before task %u had ended", i, k);
    }
}

static heddle_pool *open_pool(heddle_ctx *ctx, rig *r, uint32_t n_slots)
{
    const pooled_params params = {r->cells, r->ran, NULL, &r->gate, &r->began};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    heddle_pool *pool;
    uint32_t k;
    c.n_slots = n_slots;
    memset(r, 0, sizeof *r);
    CHECK_OK(NULL, heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &c, &pool));
    for (k = 0; k < MOST_THREADS; k++) {
        r->parts[k].pool = pool;
        r->parts[k].first = k * MOST_TASKS;
        r->parts[k].bytes = r->bytes[k];
    }
    return pool;
}

static void run_program(heddle_ctx *ctx, rig *r, uint32_t n_threads, uint64_t seed)
{
    heddle_pool *pool = open_pool(ctx, r, check_below(&seed, 2) ? 32 : 1024);
    pthread_t threads[MOST_THREADS];
    uint32_t k;
    for (k = 0; k < n_threads; k++) {
        r->parts[k].seed = check_random(&seed);
        r->parts[k].n = 1u + (uint32_t)check_below(&seed, check_below(&seed, 10) ? 200 : MOST_TASKS);
        CHECK(pthread_create(&threads[k], NULL, run_part, &r->parts[k]) == 0);
    }
    for (k = 0; k < n_threads; k++)
        pthread_join(threads[k], NULL);
    CHECK_OK(NULL, heddle_pool_wait_all(pool, HEDDLE_FOREVER));
    for (k = 0; k < n_threads; k++)
        check_part(r, &r->parts[k]);
    heddle_pool_free(pool);
}

/* ---- many before one, and one before many ------------------------------------------------------------------------------ */

/* A writer of all, readers of all, writers of columns, a reader of all. */
static void check_wide(heddle_ctx *ctx, rig *r, uint32_t n_slots)
{
    heddle_pool *pool = open_pool(ctx, r, n_slots);
    part *p = &r->parts[0];
    heddle_range range = {p->bytes, N_BYTES, 1, 0, HEDDLE_MODE_OUT};
    uint32_t t;
    p->seed = 5;
    p->n = 1u + N_READERS + N_COLS + 1u;
    for (t = 0; t < p->n; t++) {
        const uint64_t col = t - 1u - N_READERS;
        if (t && col < N_COLS)
            range = (heddle_range){p->bytes + col, 1, N_ROWS, N_COLS, HEDDLE_MODE_INOUT};
        else if (t)
            range = (heddle_range){p->bytes, N_BYTES, 1, 0, HEDDLE_MODE_IN};
        add(range.mode == HEDDLE_MODE_IN ? &p->in[t] : &p->out[t], (uint64_t)((const uint8_t *)range.base - p->bytes),
            &range);
        CHECK_OK(NULL, stamp(p, t, &range, 1, t % 2u ? HEDDLE_POOL_TRY : 0u, 0, NULL));
    }
    CHECK_OK(NULL, heddle_pool_wait_all(pool, HEDDLE_FOREVER));
    check_part(r, p);
    heddle_pool_free(pool);
}

/* ---- bad ends ------------------------------------------------------------------------------------------------------------ */

/* A task fails: those that conflict do not run, however late they come and although its end was seen, until all were waited for. */
static void check_bad(heddle_ctx *ctx, rig *r)
{
    heddle_pool *pool = open_pool(ctx, r, 64);
    part *p = &r->parts[0];
    const heddle_range all = {p->bytes, N_BYTES, 1, 0, HEDDLE_MODE_INOUT},
                       one = {p->bytes + 5, 1, 1, 0, HEDDLE_MODE_IN}, other = {r->bytes[1], 1, 1, 0, HEDDLE_MODE_OUT};
    heddle_handle h;
    uint32_t t;
    p->seed = 7;
    CHECK_OK(NULL, stamp(p, 0, &all, 1, 0, 9, &h));
    CHECK(heddle_pool_wait(pool, h, HEDDLE_FOREVER, NULL) == HEDDLE_EBODY);
    CHECK_OK(NULL, stamp(p, 1, &one, 1, 0, 0, &h));
    CHECK(heddle_pool_wait(pool, h, HEDDLE_FOREVER, NULL) == HEDDLE_ECANCELED);
    for (t = 2; t < MOST_TASKS - 2u; t++) /* the order is made anew meanwhile */
        CHECK_OK(NULL, stamp(p, t, &other, 1, 0, 0, NULL));
    CHECK_OK(NULL, stamp(p, t, &one, 1, 0, 0, NULL));
    CHECK(heddle_pool_wait_all(pool, HEDDLE_FOREVER) == HEDDLE_ECANCELED);
    CHECK_OK(NULL, stamp(p, t + 1u, &one, 1, 0, 0, &h));
    CHECK_OK(NULL, heddle_pool_wait(pool, h, HEDDLE_FOREVER, NULL));
    CHECK(r->ran[0] == 1 && r->ran[1] == 0 && r->ran[MOST_TASKS - 3u] == 1 && r->ran[t] == 0 && r->ran[t + 1u] == 1);
    heddle_pool_free(pool);
}

/* Failed tasks keep their slots, and a full table of them is told. */
static void check_full(heddle_ctx *ctx, rig *r)
{
    heddle_pool *pool = open_pool(ctx, r, 32);
    part *p = &r->parts[0];
    heddle_status s = HEDDLE_OK;
    uint32_t t;
    for (t = 0; t < 40 && s == HEDDLE_OK; t++) {
        const heddle_range range = {p->bytes + t, 1, 1, 0, HEDDLE_MODE_OUT};
        s = stamp(p, t, &range, 1, 0, 9, NULL);
    }
    CHECK_MSG(s == HEDDLE_EBUSY && t == 33 && strstr(heddle_error_text(NULL), "wait for"), "%u: %s", t,
              heddle_error_text(NULL));
    CHECK(heddle_pool_wait_all(pool, HEDDLE_FOREVER) == HEDDLE_EBODY);
    heddle_pool_free(pool);
}

static void check_all(heddle_backend b, uint32_t n_workers, uint32_t n_programs, uint64_t *seed)
{
    rig *r = pooled_new(b, sizeof *r);
    heddle_ctx *ctx = pooled_context(b, n_workers);
    uint32_t i;
    for (i = 0; i < n_programs; i++)
        run_program(ctx, r, 1u + i % MOST_THREADS, check_random(seed));
    check_wide(ctx, r, 0);
    check_wide(ctx, r, 32);
    check_bad(ctx, r);
    check_full(ctx, r);
    heddle_ctx_close(ctx);
    pooled_free(b, r);
}

int main(int argc, char **argv) { return pooled_programs(argc, argv, 20261127, 60u, check_all); }
