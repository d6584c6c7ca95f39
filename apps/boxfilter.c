/* SPDX-License-Identifier: MIT */
/* boxfilter.c - each pixel of a grey picture becomes the mean, rounded, of the square around it. The outermost pixels are repeated. Rows
 * follow the index, and those within reach on either side go with them. (Belviranli's thesis, section 3.4; a CUDA sample.) */
#include "loop.h"

#include "boxfilter_bodies.h"
#include "picture.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_boxfilter;

typedef struct boxfilter_case {
    app_case c;
    uint8_t *pixels, *means, *want; /* want NULL until there is a reference */
    boxfilter_record record;
    int failed;       /* the reference: out of memory */
    uint64_t differs; /* first row that does */
} boxfilter_case;

static int load(app_case *c, const app_request *q, char *error)
{
    boxfilter_case *p = (boxfilter_case *)c;
    int64_t reach;
    if (app_check_request(&app_boxfilter, q, 1, error) ||
        app_opt_i64(&app_boxfilter, q, "reach", 0, BOXFILTER_MOST_REACH, &reach, error) ||
        picture_pixels(c, q, &p->pixels, error))
        return -1;
    p->record = (boxfilter_record){.rows = c->n[0], .cols = c->n[1], .reach = (uint32_t)reach};
    p->means = app_alloc(c->n[0] * c->n[1], 1, "the means", error);
    return p->means ? 0 : -1;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_boxfilter, sizeof(boxfilter_case), load, q, error);
}

static void free_case(app_case *c)
{
    boxfilter_case *p = (boxfilter_case *)c;
    if (!c)
        return;
    app_loop_close(c);
    free(p->pixels);
    free(p->means);
    free(p->want);
    free(p);
}

static int build(app_case *c, heddle_ctx *ctx)
{
    boxfilter_case *p = (boxfilter_case *)c;
    app_loop_form f = app_loop_of(c->n[0]);
    app_rows in = {.host = p->pixels,
                   .n_rows = c->n[0],
                   .row_bytes = c->n[1],
                   .mode = HEDDLE_MODE_IN,
                   .field = offsetof(boxfilter_record, pixels)},
             out = in;
    in.before = in.after = p->record.reach;
    out.host = p->means;
    out.mode = HEDDLE_MODE_OUT;
    out.field = offsetof(boxfilter_record, means);
    app_loop_add_rows(&f, in);
    app_loop_add_rows(&f, out);
    f.desc.body = boxfilter_mean;
    f.desc.n_2 = c->n[1];
    f.desc.tile = c->b[0];
    f.desc.tile_2 = c->b[1];
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return app_loop_open(c, ctx, &f);
}

/* ---- reference and check ---- */

static uint64_t clamped(int64_t i, uint64_t n) { return i < 0 ? 0 : app_smaller((uint64_t)i, n - 1); }

/* Of the sums of columns. */
static void mean_row(boxfilter_case *p, uint64_t r, const uint32_t *column)
{
    const int64_t reach = (int64_t)p->record.reach, w = (int64_t)p->c.n[1];
    const uint64_t area = (uint64_t)(2 * reach + 1) * (uint64_t)(2 * reach + 1);
    for (int64_t k = 0; k < w; k++) {
        uint64_t sum = 0;
        for (int64_t d = -reach; d <= reach; d++)
            sum += column[clamped(k + d, p->c.n[1])];
        p->want[r * p->c.n[1] + (uint64_t)k] = (uint8_t)((sum + area / 2) / area);
    }
}

static void fill_rows(void *self, uint64_t begin, uint64_t end)
{
    boxfilter_case *p = self;
    const int64_t reach = (int64_t)p->record.reach;
    uint32_t *column = malloc(p->c.n[1] * sizeof *column);
    if (!column)
        __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    for (uint64_t r = begin; column && r < end; r++) {
        memset(column, 0, p->c.n[1] * sizeof *column);
        for (int64_t d = -reach; d <= reach; d++)
            for (uint64_t k = 0; k < p->c.n[1]; k++)
                column[k] += p->pixels[clamped((int64_t)r + d, p->c.n[0]) * p->c.n[1] + k];
        mean_row(p, r, column);
    }
    free(column);
}

static int reference(app_case *c)
{
    boxfilter_case *p = (boxfilter_case *)c;
    if (p->want)
        return 0;
    p->want = app_alloc(c->n[0] * c->n[1], 1, "the reference", c->error);
    if (!p->want)
        return -1;
    app_spread(c->n[0], c->n[1] * (2 * p->record.reach + 1), fill_rows, p);
    if (p->failed)
        snprintf(c->error, APP_ERROR, "out of memory for the reference");
    return p->failed ? -1 : 0;
}

static void compare(void *self, uint64_t begin, uint64_t end)
{
    boxfilter_case *p = self;
    const uint64_t w = p->c.n[1];
    for (uint64_t r = begin; r < end; r++)
        if (memcmp(p->means + r * w, p->want + r * w, w)) {
            app_least(&p->differs, r);
            return;
        }
}

static int check(app_case *c)
{
    boxfilter_case *p = (boxfilter_case *)c;
    uint64_t at;
    p->differs = UINT64_MAX;
    app_spread(c->n[0], c->n[1] / 8 + 1, compare, p);
    if (p->differs == UINT64_MAX)
        return 0;
    for (at = p->differs * c->n[1]; p->means[at] == p->want[at];)
        at++;
    snprintf(c->error, APP_ERROR, "boxfilter: pixel %" PRIu64 ",%" PRIu64 " is %u, the reference has %u", at / c->n[1],
             at % c->n[1], p->means[at], p->want[at]);
    return -1;
}

static void answer(app_case *c, const app_sink *s)
{
    const boxfilter_case *p = (const boxfilter_case *)c;
    uint64_t sum = 0;
    char hex[65];
    app_sha256(p->means, c->n[0] * c->n[1], hex);
    if (hex[0]) {
        s->text(s->self, "mean_round_half_up_sha256_u8", hex);
        return;
    }
    for (uint64_t i = 0; i < c->n[0] * c->n[1]; i++)
        sum += p->means[i];
    s->u64(s->self, "sum_of_means", sum);
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {{"reach", "5", "of a box: so many pixels to each side, up to 127"},
                                     {NULL, NULL, NULL}};

const app app_boxfilter = {
    .name = "boxfilter",
    .summary = "a grey picture, each pixel the mean of the square around it",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &boxfilter,
    .loops = &boxfilter,
    .scenarios = scenarios,
    .n = {4096, 4096},
    .b = {32, 256},
    .prepare = prepare,
    .read = app_loop_fetch,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
