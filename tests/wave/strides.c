/* SPDX-License-Identifier: MIT */
/* strides.c - sweeps over a field by several waves at once, each with a stride of its columns and a context of its own, leave what
 * plain loops leave. On one to three threads each; with --cuda on a GPU, with few blocks each. HEDDLE_WAVES: how many. */
#include "wave/stride_cases.h"

#include <string.h>

static heddle_backend backend = HEDDLE_CPU;

typedef struct runner {
    heddle_ctx *ctx[MOST_STRIDES];
    heddle_graph *graph[MOST_STRIDES];
    heddle_job *job[MOST_STRIDES];
} runner;

static void open_all(runner *r, uint64_t *row)
{
    for (uint32_t k = 0; k < MOST_STRIDES; k++) {
        heddle_config c = HEDDLE_CONFIG_INIT;
        c.backend = backend;
        c.n_workers = backend == HEDDLE_CUDA ? 8u : 1u + (uint32_t)check_below(row, 3);
        c.schedule = backend == HEDDLE_CPU && !check_below(row, 4) ? HEDDLE_SCHEDULE_TICKET : HEDDLE_SCHEDULE_WAVE;
        c.time_limit_ms = 60000;
        CHECK_OK(NULL, heddle_ctx_open(&r->ctx[k], &c));
    }
}

/* On threads the strides may start in any order. */
static void run_all(runner *r, stride_case *c, uint32_t first)
{
    stride_case_reset(c);
    for (uint32_t k = 0; k < c->n; k++) {
        const uint32_t s = (first + k) % c->n;
        CHECK_OK(r->ctx[s],
                 heddle_graph_submit(r->ctx[s], r->graph[s], &c->field.params, sizeof c->field.params, &r->job[s]));
    }
    for (uint32_t k = 0; k < c->n; k++) {
        CHECK_OK(r->ctx[k], heddle_job_wait(r->job[k], HEDDLE_FOREVER));
        heddle_job_free(r->job[k]);
    }
    sweep_case_check(&c->field, "strides");
}

/* 0: the seed has no case. */
static int run_case(uint64_t seed)
{
    uint64_t row = seed;
    stride_case c;
    runner r = {0};
    open_all(&r, &row);
    const int is_case = stride_case_make(&c, seed, r.ctx[0], backend == HEDDLE_CUDA ? 900 : 300, 1);
    for (uint32_t k = 0; is_case && k < c.n; k++)
        CHECK_OK(r.ctx[k], heddle_wave_new(r.ctx[k], &sweeps, &c.strides[k], &r.graph[k]));
    for (uint32_t i = 0; is_case && i < 3u; i++)
        run_all(&r, &c, backend == HEDDLE_CUDA ? 0 : (uint32_t)check_below(&row, c.n));
    for (uint32_t k = 0; k < MOST_STRIDES; k++)
        heddle_graph_free(r.graph[k]);
    if (is_case)
        stride_case_free(&c);
    for (uint32_t k = 0; k < MOST_STRIDES; k++)
        heddle_ctx_close(r.ctx[k]);
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
    config.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    d.rows = d.cols = 10;
    d.cells = field;
    d.sweeps = 3;
    d.col_at = 20;
    d.whole_cols = 25;
    refuse(ctx, &d, "a stride of 10 columns from 20 on, of a field of 25");
    d.whole_cols = 100;
    d.cols = 3;
    refuse(ctx, &d, "a stride of 3 columns from 20 on, and 3 sweeps need more");
    d.cols = 10;
    d.row_cells = 12;
    refuse(ctx, &d, "a row of 13 cells, with row_cells = 12 to the next");
    d.row_cells = 0;
    d.west.constant = field;
    refuse(ctx, &d, "which have no constant border west");
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    uint64_t n_cases = 0;
    if (argc > 1 && !strcmp(argv[1], "--cuda"))
        backend = HEDDLE_CUDA;
    if (!heddle_backend_is_present(backend))
        SKIP("no GPU");
    test_refused();
    for (uint64_t seed = first; seed < first + n; seed++)
        n_cases += (uint64_t)run_case(seed);
    CHECK(n_cases || n < 10u);
    printf("%llu fields in strides, each run three times\n", (unsigned long long)n_cases);
    return 0;
}
