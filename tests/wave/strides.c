/* SPDX-License-Identifier: MIT */
/* strides.c - a field as several waves at once, each with a stride of its rows and a context of its own, leaves what plain loops leave:
 * cells of all sets of neighbours, and sweeps in place. On one to three threads each; with --cuda on a GPU, with few blocks each.
 * HEDDLE_WAVES: how many. */
#include "wave/cases.h"
#include "wave/stride_cases.h"
#include "wave/sweep_cases.h"

#include <string.h>

#define MOST_ROWS 300u

static heddle_backend backend = HEDDLE_CPU;
static uint64_t unit = 64; /* rows of a band */

typedef struct runner {
    heddle_ctx *ctx[MOST_STRIDES];
    heddle_graph *graph[MOST_STRIDES];
    heddle_job *job[MOST_STRIDES];
    uint64_t row; /* of random numbers */
} runner;

static void open_all(runner *r)
{
    for (uint32_t k = 0; k < MOST_STRIDES; k++) {
        heddle_config c = HEDDLE_CONFIG_INIT;
        c.backend = backend;
        c.n_workers = backend == HEDDLE_CUDA ? 8u : 1u + (uint32_t)check_below(&r->row, 3);
        c.schedule = backend == HEDDLE_CPU && !check_below(&r->row, 4) ? HEDDLE_SCHEDULE_TICKET : HEDDLE_SCHEDULE_WAVE;
        c.time_limit_ms = 60000;
        CHECK_OK(NULL, heddle_ctx_open(&r->ctx[k], &c));
    }
}

static void close_all(runner *r)
{
    for (uint32_t k = 0; k < MOST_STRIDES; k++)
        heddle_graph_free(r->graph[k]);
    for (uint32_t k = MOST_STRIDES; k--;) /* the first one has the memory */
        heddle_ctx_close(r->ctx[k]);
}

/* On threads the strides may start in any order. */
static void run_all(runner *r, stride_case *c, const void *params, size_t n_bytes)
{
    const uint32_t first = backend == HEDDLE_CUDA ? 0 : (uint32_t)check_below(&r->row, c->n);
    stride_case_reset(c);
    for (uint32_t k = 0; k < c->n; k++) {
        const uint32_t s = (first + k) % c->n;
        CHECK_OK(r->ctx[s], heddle_graph_submit(r->ctx[s], r->graph[s], params, n_bytes, &r->job[s]));
    }
    for (uint32_t k = 0; k < c->n; k++) {
        CHECK_OK(r->ctx[k], heddle_job_wait(r->job[k], HEDDLE_FOREVER));
        heddle_job_free(r->job[k]);
    }
    stride_case_join(c);
}

static int cut(runner *r, stride_case *c, const heddle_table *table, const heddle_wave_desc *whole)
{
    if (!stride_case_make(c, r->ctx[0], table, whole, unit, &r->row))
        return 0;
    for (uint32_t k = 0; k < c->n; k++)
        CHECK_OK(r->ctx[k], heddle_wave_new(r->ctx[k], table, &c->strides[k], &r->graph[k]));
    return 1;
}

/* 0: the seed has no case. */
static int run_sweeps(uint64_t seed)
{
    runner r = {.row = seed};
    stride_case c;
    sweep_case s;
    open_all(&r);
    sweep_case_make(&s, seed, r.ctx[0], backend == HEDDLE_CUDA ? 900 : MOST_ROWS);
    const int is_case = cut(&r, &c, &sweeps, &s.desc);
    for (uint32_t i = 0; is_case && i < 3u; i++) {
        sweep_case_reset(&s);
        run_all(&r, &c, &s.params, sizeof s.params);
        sweep_case_check(&s, "strides");
    }
    stride_case_free(&c);
    sweep_case_free(&s);
    close_all(&r);
    return is_case;
}

/* Cells are kept by rows, if they are kept. */
static int run_cells(uint64_t seed)
{
    runner r = {.row = seed};
    stride_case c;
    wave_case s;
    open_all(&r);
    wave_case_make(&s, &mix, seed, r.ctx[0], backend == HEDDLE_CUDA ? 900 : MOST_ROWS);
    wave_case_simplify(&s);
    wave_case_lay_out(&s);
    const int is_case = cut(&r, &c, &mix, &s.desc);
    for (uint32_t i = 0; is_case && i < 3u; i++) {
        wave_case_reset(&s);
        run_all(&r, &c, &s.params, sizeof s.params);
        wave_case_check(&s, "strides");
    }
    stride_case_free(&c);
    wave_case_free(&s);
    close_all(&r);
    return is_case;
}

static void refuse(heddle_ctx *ctx, const heddle_wave_desc *d, const char *sentence)
{
    heddle_graph *g;
    CHECK(heddle_wave_new(ctx, &sweeps, d, &g) == HEDDLE_EINVAL && !g);
    CHECK_MSG(strstr(heddle_error_text(ctx), sentence), "%s", heddle_error_text(ctx));
}

static void test_refused(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_ctx *ctx;
    uint32_t field[400] = {0};
    void *outer;
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    CHECK_OK(ctx, heddle_mem_new(ctx, heddle_wave_outer_bytes(&sweeps, 0, 10, 3), &outer));
    d.rows = d.cols = 10;
    d.cells = field;
    d.sweeps = 3;
    d.row_at = 20;
    d.whole_rows = 25;
    refuse(ctx, &d, "a stride of 10 rows from 20 on, of a field of 25");
    d.whole_rows = 100;
    d.rows = 3;
    refuse(ctx, &d, "a stride of 3 rows from 20 on, and 3 sweeps need more");
    d.rows = 10;
    refuse(ctx, &d, "a stride from row 20 on, and above is NULL");
    d.above = (uint8_t *)outer + 4;
    refuse(ctx, &d, "is not aligned to 128 bytes");
    d.above = outer;
    refuse(ctx, &d, "a stride of 10 rows, with more below, and bands of 64");
    d.row_at = 90;
    d.below = outer;
    refuse(ctx, &d, "below of a stride that is the last");
    d.below = NULL;
    d.west.constant = field;
    refuse(ctx, &d, "which have no border west");
    CHECK(!heddle_wave_outer_bytes(&sweeps, sweeps_n_bodies, 10, 3) && !heddle_wave_outer_bytes(NULL, 0, 10, 3));
    heddle_mem_free(ctx, outer);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    uint64_t n_sweeps = 0, n_cells = 0;
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        backend = HEDDLE_CUDA;
        unit = 256; /* of the highest shape */
    }
    if (!heddle_backend_is_present(backend))
        SKIP("no GPU");
    test_refused();
    for (uint64_t seed = first; seed < first + n; seed++) {
        n_sweeps += (uint64_t)run_sweeps(seed);
        n_cells += (uint64_t)run_cells(seed);
    }
    CHECK((n_sweeps && n_cells) || n < 10u);
    printf("%llu fields of sweeps and %llu of cells in strides, each run three times\n", (unsigned long long)n_sweeps,
           (unsigned long long)n_cells);
    return 0;
}
