/* SPDX-License-Identifier: MIT */
/* conv.c - a grey picture smoothed by the binomial weights 1 4 6 4 1 along rows and columns, not divided by their sum of 256.
 * Cells are exact. Tiles read pixels of their neighbours and write their own cells, and so are independent. (One of the
 * workloads of Pagoda: TOPC 6(4), Table 3.) */
#include "conv_bodies.h"
#include "narrow.h"
#include "picture.h"

#include <stddef.h>

extern const app app_conv;

typedef struct conv_case {
    narrow n;
    conv_record record;
} conv_case;

/* The pixels above and below go with a task, too. */
static void cut(const narrow *n, void *record, tile_rect *t)
{
    conv_record *r = record;
    const uint64_t above = app_smaller(t->row, CONV_REACH);
    r->above = (int64_t)above;
    r->rows = app_smaller(n->c.n[0], t->row + t->rows + CONV_REACH) - (t->row - above);
    t->row = 0;
}

static const narrow_form form = {.record_bytes = sizeof(conv_record),
                                 .in = {offsetof(conv_record, pixels)},
                                 .out = offsetof(conv_record, cells),
                                 .cut = cut};

static int load(app_case *c, const app_request *q, char *error)
{
    conv_case *p = (conv_case *)c;
    uint8_t *pixels = NULL;
    int rc;
    if (app_check_request(&app_conv, q, 1, error))
        return -1;
    rc = picture_pixels(c, q, &pixels, error);
    narrow_adopt(&p->n, 0, pixels, c->n[0] * c->n[1]);
    if (rc || app_tasks_cut(c, error))
        return -1;
    p->record = (conv_record){.rows = c->n[0], .cols = c->n[1]};
    narrow_set(&p->n, &p->record, &form);
    p->n.in[0].row_bytes = c->n[1];
    p->n.in[0].reach = CONV_REACH;
    p->n.out.row_bytes = c->n[1] * sizeof *p->record.cells;
    return narrow_results(&p->n, c->n[0] * c->n[1], sizeof *p->record.cells, error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_conv, sizeof(conv_case), load, q, error);
}

static uint64_t clamped(int64_t i, uint64_t n) { return i < 0 ? 0 : app_smaller((uint64_t)i, n - 1); }

static uint32_t cell(const narrow *p, uint64_t r, uint64_t k)
{
    static const uint32_t weight[5] = {1, 4, 6, 4, 1};
    const uint8_t *pixels = p->in[0].host;
    const uint64_t *n = p->c.n;
    uint32_t sum = 0;
    for (int dr = -2; dr <= 2; dr++)
        for (int dk = -2; dk <= 2; dk++)
            sum += weight[dr + 2] * weight[dk + 2] *
                   pixels[clamped((int64_t)r + dr, n[0]) * n[1] + clamped((int64_t)k + dk, n[1])];
    return sum;
}

static void fill_rows(void *self, uint64_t begin, uint64_t end)
{
    const narrow *p = self;
    for (uint64_t r = begin; r < end; r++)
        for (uint64_t k = 0; k < p->c.n[1]; k++)
            ((uint32_t *)p->want)[r * p->c.n[1] + k] = cell(p, r, k);
}

static int reference(app_case *c) { return narrow_reference(c, sizeof(uint32_t), c->n[0], c->n[1] * 25, fill_rows); }

static void answer(app_case *c, const app_sink *s)
{
    const narrow *p = (const narrow *)c;
    const uint32_t *cells = p->out.host;
    uint64_t sum = 0;
    char hex[65];
    for (uint64_t i = 0; i < p->n_results; i++)
        sum += cells[i];
    app_sha256(cells, p->out.n_bytes, hex);
    s->u64(s->self, "sum", sum);
    if (hex[0])
        s->text(s->self, "sha256_int32le", hex);
}

static const app_option options[] = {{NULL, NULL, NULL}};

const app app_conv = {
    .name = "conv",
    .summary = "a grey picture convolved with 5 x 5 binomial weights, by independent tasks",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &conv,
    .apart = &conv_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {4096, 4096},
    .b = {128, 128},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = narrow_equal,
    .answer = answer,
    .free = narrow_free,
};
