/* SPDX-License-Identifier: MIT */
/* dct.c - the two-dimensional cosine transform (type II, orthonormal) of a grey picture's blocks of 8 x 8 pixels, in single
 * precision, as the first step of JPEG. Blocks at the edge go on with the picture's outermost pixels, and their results stand
 * there whole. (One of the workloads of Pagoda: TOPC 6(4), Table 3.)
 *
 * The reference multiplies by the matrix of cosines in double precision. A result adds up to 1024 in size, of pixels of at
 * most 128; twelve roundings lie on its way, constants included. So it may differ by 16 x 1024 roundings. */
#include "dct_bodies.h"
#include "narrow.h"
#include "picture.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

extern const app app_dct;

typedef struct dct_case {
    narrow n;
    dct_record record;
    double cosine[DCT_EDGE][DCT_EDGE]; /* of the reference */
} dct_case;

static uint64_t whole(uint64_t pixels) { return (pixels + DCT_EDGE - 1) / DCT_EDGE * DCT_EDGE; }

/* A task's rows are a picture: its tile begins with a block. */
static void cut(const narrow *n, void *record, tile_rect *t)
{
    (void)n;
    ((dct_record *)record)->rows = t->rows;
    t->row = 0;
}

static const narrow_form form = {.record_bytes = sizeof(dct_record),
                                 .in = {offsetof(dct_record, pixels)},
                                 .out = offsetof(dct_record, out),
                                 .cut = cut};

static int check_rows(const app_case *c, char *error)
{
    if (!c->spawning.copies || c->b[0] % DCT_EDGE == 0 || c->b[0] == c->n[0])
        return 0;
    snprintf(error, APP_ERROR, "dct: the rows that go with a task are whole blocks of %d, not %llu", DCT_EDGE,
             (unsigned long long)c->b[0]);
    return -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    dct_case *p = (dct_case *)c;
    uint8_t *pixels = NULL;
    int rc;
    if (app_check_request(&app_dct, q, 1, error) || narrow_shared(&p->n, q, &dct_plain, error))
        return -1;
    rc = picture_pixels(c, q, &pixels, error);
    narrow_adopt(&p->n, 0, pixels, c->n[0] * c->n[1]);
    if (rc || check_rows(c, error) || app_tasks_cut(c, error))
        return -1;
    p->record = (dct_record){.rows = c->n[0], .cols = c->n[1], .stride = whole(c->n[1])};
    narrow_set(&p->n, &p->record, &form);
    p->n.in[0].row_bytes = c->n[1];
    p->n.out.row_bytes = p->record.stride * sizeof(float);
    return narrow_results(&p->n, whole(c->n[0]) * p->record.stride, sizeof(float), error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_dct, sizeof(dct_case), load, q, error);
}

/* ---- reference ---- */

static double pixel(const dct_case *p, uint64_t r, uint64_t c)
{
    const uint8_t *pixels = p->n.in[0].host;
    return pixels[app_smaller(r, p->record.rows - 1) * p->record.cols + app_smaller(c, p->record.cols - 1)] - 128.0;
}

static void transform(const dct_case *p, uint64_t row, uint64_t col)
{
    double down[DCT_EDGE][DCT_EDGE] = {{0}}, *want = (double *)p->n.want + row * p->record.stride + col;
    for (uint64_t u = 0; u < DCT_EDGE; u++)
        for (uint64_t i = 0; i < DCT_EDGE; i++)
            for (uint64_t j = 0; j < DCT_EDGE; j++)
                down[u][j] += p->cosine[u][i] * pixel(p, row + i, col + j);
    for (uint64_t u = 0; u < DCT_EDGE; u++)
        for (uint64_t v = 0; v < DCT_EDGE; v++)
            for (uint64_t j = 0; j < DCT_EDGE; j++)
                want[u * p->record.stride + v] += down[u][j] * p->cosine[v][j];
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    const dct_case *p = self;
    for (uint64_t k = begin; k < end; k++)
        for (uint64_t col = 0; col < p->record.cols; col += DCT_EDGE)
            transform(p, k * DCT_EDGE, col);
}

static int reference(app_case *c)
{
    dct_case *p = (dct_case *)c;
    for (int u = 0; u < DCT_EDGE; u++)
        for (int i = 0; i < DCT_EDGE; i++)
            p->cosine[u][i] = sqrt((u ? 2.0 : 1.0) / DCT_EDGE) * cos((2 * i + 1) * u * acos(-1) / (2 * DCT_EDGE));
    return narrow_reference(c, sizeof(double), whole(c->n[0]) / DCT_EDGE, p->record.stride * 128, fill);
}

static double allowed(const app_case *c, double want)
{
    (void)c;
    (void)want;
    return 16 * 1024 * 0x1p-24;
}

static int check(app_case *c) { return narrow_near(c, allowed); }

static const app_option options[] = {NARROW_OPTION_SHARED, {NULL, NULL, NULL}};

const app app_dct = {
    .name = "dct",
    .summary = "the cosine transform of a grey picture's blocks of 8 x 8 pixels, single precision",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &dct,
    .apart = &dct_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {2048, 2048},
    .b = {128, 128},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = check,
    .answer = narrow_answer_floats,
    .free = narrow_free,
};
