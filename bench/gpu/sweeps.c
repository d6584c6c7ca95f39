/* SPDX-License-Identifier: MIT */
/* sweeps.c - bench_sweeps: sweeps in place over fields of floats, in every shape and number of warps per block, as TSV
 * on stdout. Each result's upper rows are those of plain loops; some of the other rows are the same in all shapes. */
#include "sweep_cells.h"
#include "wave_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 64u /* rows that repeat */
#define UPPER 24u   /* rows compared with plain loops */

typedef struct field_case {
    const char *what;
    uint32_t n, sweeps, body;
    float *pattern, *want; /* of the upper rows */
    float *lowest;         /* the first shape's result: upper rows, then the two lowest */
} field_case;

static const sweep_params params = {1.5f};
static int n_wrong;

static void fill(const field_case *f, float *cells)
{
    for (uint32_t i = 0; i < f->n; i += PATTERN)
        must(heddle_mem_write(ctx, cells + (uint64_t)i * f->n, f->pattern, (uint64_t)PATTERN * f->n * 4u), "copying");
}

/* Plain loops over enough rows that the upper ones are as in the whole field. */
static void make_want(field_case *f)
{
    const uint32_t n = f->n, rows = UPPER + f->sweeps + 2u;
    float *x = malloc((uint64_t)rows * n * 4u);
    for (uint32_t i = 0; i < rows; i++)
        memcpy(x + (uint64_t)i * n, f->pattern + (uint64_t)(i % PATTERN) * n, n * 4u);
    for (uint32_t s = 0; s < f->sweeps; s++)
        for (uint32_t i = 1; i + 1u < rows; i++)
            for (uint32_t j = 1; j + 1u < n; j++) {
                float *c = x + (uint64_t)i * n + j;
                const float u = *(c - n), d = c[n];
                *c = f->body == sweep_sor_4 ? sweep_sor_of(params.omega, u, c[-1], *c, c[1], d)
                                            : sweep_heat_of(u, c[-1], c[1], d);
            }
    f->want = x;
}

static int is_near(const float *a, const float *b, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        if (!(a[k] - b[k] < 1e-3f && b[k] - a[k] < 1e-3f))
            return 0;
    return 1;
}

/* One run from the start. Compilers may fuse multiplications: bits may differ from plain loops, but not between shapes. */
static const char *check(field_case *f, const heddle_wave_desc *d)
{
    const uint64_t n_upper = (uint64_t)UPPER * f->n, n_lowest = 2u * (uint64_t)f->n;
    float *got = malloc((n_upper + n_lowest) * 4u);
    heddle_graph *g;
    int is_right;
    fill(f, d->cells);
    must(heddle_wave_new(ctx, &sweep, d, &g), "making the wave");
    must(heddle_graph_run(ctx, g, &params, sizeof params), "running it");
    heddle_graph_free(g);
    must(heddle_mem_read(ctx, got, d->cells, n_upper * 4u), "reading");
    must(heddle_mem_read(ctx, got + n_upper, (float *)d->cells + ((uint64_t)f->n - 2u) * f->n, n_lowest * 4u),
         "reading");
    is_right = is_near(got, f->want, n_upper) && (!f->lowest || !memcmp(f->lowest, got, (n_upper + n_lowest) * 4u));
    if (!f->lowest)
        f->lowest = got;
    else
        free(got);
    n_wrong += !is_right;
    return is_right ? "ok" : "WRONG";
}

static void row(field_case *f, heddle_wave_desc *d, int is_checked)
{
    const char *how, *right = "-";
    const uint64_t ns = measure(&sweep, d, &params, sizeof params, &how);
    if (ns && is_checked)
        right = check(f, d);
    printf("%s\twave\tR%u C%u\t%u\t0\t%.3f\t%.3f\t%s\t%s\n", f->what, d->lane_rows, d->step_columns, d->n_warps,
           (double)ns * 1e-6, ns ? (double)f->n * f->n * f->sweeps / (double)ns * 1e-3 : 0.0, right, how);
    fflush(stdout);
}

static void measure_case(field_case *f, void *cells)
{
    static const uint32_t warps[] = {0, 2, 3, 4}; /* 0: the library's choice */
    const heddle_wave_info *info = &sweep.waves[f->body];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    f->pattern = malloc((uint64_t)PATTERN * f->n * 4u);
    for (uint64_t k = 0; k < (uint64_t)PATTERN * f->n; k++)
        f->pattern[k] = (float)(k * 2654435761u >> 8 & 0xffffu) / 65536.0f;
    make_want(f);
    d.body = f->body;
    d.rows = d.cols = f->n;
    d.cells = cells;
    d.sweeps = f->sweeps;
    for (uint32_t s = 0; s < info->n_shapes; s++)
        for (size_t k = 0; k < sizeof warps / sizeof warps[0]; k++) {
            d.lane_rows = info->shapes[s].rows;
            d.step_columns = info->shapes[s].columns;
            d.n_warps = warps[k];
            row(f, &d, k == 0 || f->n <= 16384);
        }
    free(f->pattern);
    free(f->want);
    free(f->lowest);
}

int main(void)
{
    field_case cases[] = {
        {.what = "heat 2048 x 4, 4 together", .n = 2048, .sweeps = 4, .body = sweep_heat_4},
        {.what = "heat 2048 x 4, 2 together", .n = 2048, .sweeps = 4, .body = sweep_heat_2},
        {.what = "heat 16384 x 4, 4 together", .n = 16384, .sweeps = 4, .body = sweep_heat_4},
        {.what = "heat 16384 x 4, 2 together", .n = 16384, .sweeps = 4, .body = sweep_heat_2},
        {.what = "sor 16384 x 4, 4 together", .n = 16384, .sweeps = 4, .body = sweep_sor_4},
        {.what = "heat 65536 x 16, 4 together", .n = 65536, .sweeps = 16, .body = sweep_heat_4},
        {.what = "heat 65536 x 16, 2 together", .n = 65536, .sweeps = 16, .body = sweep_heat_2},
        {.what = "sor 65536 x 16, 4 together", .n = 65536, .sweeps = 16, .body = sweep_sor_4},
    };
    heddle_config c = HEDDLE_CONFIG_INIT;
    void *cells;
    c.backend = HEDDLE_CUDA;
    c.schedule = schedule = HEDDLE_SCHEDULE_WAVE;
    must(heddle_ctx_open(&ctx, &c), "opening the GPU");
    cells = to_device(NULL, 65536ull * 65536u * 4u);
    printf("what\tschedule\tshape\twarps\ttile\tms\tTcell/s\tcheck\twhy not\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        measure_case(&cases[i], cells);
    heddle_ctx_close(ctx);
    return n_wrong != 0;
}
