/* SPDX-License-Identifier: MIT */
/* conv.c - a grey picture smoothed by the binomial weights 1 4 6 4 1 along rows and columns, not divided by their sum of 256.
 * Cells are exact. Tiles read pixels of their neighbours and write their own cells, and so are independent. (One of the
 * workloads of Pagoda: TOPC 6(4), Table 3.) */
#include "conv_bodies.h"
#include "picture.h"
#include "tasks.h"

extern const app app_conv;

static app_case *prepare(const app_request *q, char *error)
{
    app_case *c = app_check_request(&app_conv, q, 1, error) ? NULL : picture_prepare(&app_conv, q, 1, error);
    if (!c || !app_tasks_cut(c, error))
        return c;
    picture_free(c);
    return NULL;
}

static int build_graph(app_case *c, heddle_ctx *ctx)
{
    return picture_begin((picture *)c, ctx) ? -1 : app_tasks_graph(c);
}
static int build_pool(app_case *c, heddle_ctx *ctx)
{
    return picture_begin((picture *)c, ctx) ? -1 : app_tasks_pool(c);
}

static uint64_t clamped(int64_t i, uint64_t n) { return i < 0 ? 0 : app_smaller((uint64_t)i, n - 1); }

static uint32_t cell(const picture *p, uint64_t r, uint64_t k)
{
    static const uint32_t weight[5] = {1, 4, 6, 4, 1};
    const uint64_t *n = p->c.n;
    uint32_t sum = 0;
    for (int dr = -2; dr <= 2; dr++)
        for (int dk = -2; dk <= 2; dk++)
            sum += weight[dr + 2] * weight[dk + 2] *
                   p->pixels[clamped((int64_t)r + dr, n[0]) * n[1] + clamped((int64_t)k + dk, n[1])];
    return sum;
}

static void next_row(const picture *p, uint32_t plane, uint64_t r, const uint32_t *above, uint32_t *row)
{
    (void)plane;
    (void)above;
    for (uint64_t k = 0; k < p->c.n[1]; k++)
        row[k] = cell(p, r, k);
}

static int reference(app_case *c) { return picture_reference(c, next_row); }

static void answer(app_case *c, const app_sink *s)
{
    const picture *p = (const picture *)c;
    char hex[65];
    picture_sha256(p, hex);
    s->u64(s->self, "sum", picture_sum(p));
    if (hex[0])
        s->text(s->self, "sha256_int32le", hex);
}

static const app_option options[] = {{NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build_graph, picture_reset, app_tasks_loop},
                                         {&app_pool, build_pool, picture_reset, app_tasks_loop},
                                         {.engine = NULL}};

const app app_conv = {
    .name = "conv",
    .summary = "a grey picture convolved with 5 x 5 binomial weights, by independent tasks",
    .formats = "8-bit PGM (P5)",
    .options = options,
    .table = &conv,
    .scenarios = scenarios,
    .n = {4096, 4096},
    .b = {128, 128},
    .prepare = prepare,
    .read = picture_read,
    .reference = reference,
    .check = picture_check,
    .answer = answer,
    .free = picture_free,
};
