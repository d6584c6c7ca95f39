/* SPDX-License-Identifier: MIT */
/* mm.c - products of many small square matrices of numbers from -1 to 1, in single precision. (One of the workloads of
 * Pagoda: TOPC 6(4), Table 3.)
 *
 * The reference adds in double precision. Sums of n products of at most 1 may differ from it by n (n + 1) roundings. */
#include "mm_bodies.h"
#include "narrow.h"

#include <stddef.h>
#include <stdio.h>

#define MAX_SIDE (1ull << 30)
#define MAX_ORDER 32768 /* bodies index a matrix with an int */
enum { A, B };

extern const app app_mm;

typedef struct mm_case {
    narrow n;
    mm_record record;
} mm_case;

static const narrow_form form = {.record_bytes = sizeof(mm_record),
                                 .in = {offsetof(mm_record, a), offsetof(mm_record, b)},
                                 .out = offsetof(mm_record, c)};

static int refuse(char *error)
{
    snprintf(error, APP_ERROR, "mm: matrices have %d rows and columns at most", MAX_ORDER);
    return -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    mm_case *p = (mm_case *)c;
    int64_t seed;
    uint64_t count;
    if (app_check_request(&app_mm, q, 0, error) || app_opt_i64(&app_mm, q, "seed", 0, INT32_MAX - 1, &seed, error) ||
        narrow_shared(&p->n, q, &mm_plain, error) ||
        app_sizes(&app_mm, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error))
        return -1;
    if (c->n[1] > MAX_ORDER)
        return refuse(error);
    count = c->n[0] * c->n[1] * c->n[1];
    if (app_tasks_cut(c, error) || narrow_noise(&p->n, A, count, (uint64_t)seed, error) ||
        narrow_noise(&p->n, B, count, (uint64_t)seed + 1, error))
        return -1;
    p->record.order = c->n[1];
    narrow_set(&p->n, &p->record, &form);
    p->n.in[A].row_bytes = p->n.in[B].row_bytes = p->n.out.row_bytes = c->n[1] * c->n[1] * sizeof(float);
    return narrow_results(&p->n, count, sizeof(float), error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_mm, sizeof(mm_case), load, q, error);
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    const narrow *n = self;
    const uint64_t order = n->c.n[1];
    for (uint64_t i = begin * order; i < end * order; i++) {
        const float *a = (const float *)n->in[A].host + i * order;
        const float *b = (const float *)n->in[B].host + i / order * order * order;
        double *row = (double *)n->want + i * order;
        for (uint64_t k = 0; k < order; k++)
            for (uint64_t j = 0; j < order; j++)
                row[j] += (double)a[k] * (double)b[k * order + j];
    }
}

static int reference(app_case *c)
{
    return narrow_reference(c, sizeof(double), c->n[0], c->n[1] * c->n[1] * c->n[1], fill);
}

static double allowed(const app_case *c, double want)
{
    const double n = (double)c->n[1];
    (void)want;
    return n * (n + 1) * 0x1p-24;
}

static int check(app_case *c) { return narrow_near(c, allowed); }

static const app_option options[] = {
    {"seed", "1", "of the matrices, which are made up"}, NARROW_OPTION_SHARED, {NULL, NULL, NULL}};

const app app_mm = {
    .name = "mm",
    .summary = "products of small square matrices (rows: how many; columns: of each), single precision",
    .formats = "none",
    .options = options,
    .table = &mm,
    .apart = &mm_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {512, 64},
    .b = {1, 64},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = check,
    .answer = narrow_answer_floats,
    .free = narrow_free,
};
