/* SPDX-License-Identifier: MIT */
/* histogram.c - how often each of the 256 values occurs among bytes, or among the pixels of a picture. A byte in, nothing out: on a GPU
 * behind a slow link it is the copy that takes the time. (Belviranli's thesis, section 3.4; a CUDA sample.) */
#include "loop.h"

#include "histogram_bodies.h"
#include "input.h"
#include "mosaic.h"
#include "noise.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(1) << 40)

extern const app app_histogram;

typedef struct histogram_case {
    app_case c;
    uint8_t *bytes; /* whole rows */
    int64_t bins[HISTOGRAM_BINS], want[HISTOGRAM_BINS];
    int has_want;
    histogram_record record;
    int64_t tile; /* in kibibytes */
} histogram_case;

static uint64_t n_rows(const app_case *c) { return (c->n[0] + HISTOGRAM_ROW - 1) / HISTOGRAM_ROW; }

static void fill(void *self, uint64_t begin, uint64_t end)
{
    uint8_t *bytes = self;
    for (uint64_t r = begin; r < end; r++)
        for (uint64_t i = r * HISTOGRAM_ROW / 8; i < (r + 1) * HISTOGRAM_ROW / 8; i++) {
            const uint64_t word = noise_u64(3, i);
            memcpy(bytes + 8 * i, &word, 8);
        }
}

static int get_bytes(histogram_case *p, char *error)
{
    p->bytes = app_alloc(n_rows(&p->c), HISTOGRAM_ROW, "the bytes", error);
    return p->bytes ? 0 : -1;
}

static int check_most(uint64_t n, char *error)
{
    if (n <= MOST)
        return 0;
    snprintf(error, APP_ERROR, "%" PRIu64 " bytes are too many: histogram takes %" PRIu64 " at most", n, MOST);
    return -1;
}

/* A photograph's bytes are one row here. */
static int load_file(histogram_case *p, const app_request *q, char *error)
{
    uint64_t *n = p->c.n, rows, cols;
    uint8_t *pixels = NULL;
    int rc;
    if (input_pgm(q->inputs[0], &pixels, &rows, &cols, error))
        return -1;
    rc =
        mosaic_side(rows * cols, q->n[0], "bytes", n, error) || check_most(n[0], error) || get_bytes(p, error) ? -1 : 0;
    if (!rc)
        mosaic_lay(pixels, (const uint64_t[2]){1, rows * cols}, p->bytes, (const uint64_t[2]){1, n[0]});
    free(pixels);
    return rc;
}

static int make_up(histogram_case *p, const app_request *q, char *error)
{
    p->c.n[0] = q->n[0] ? q->n[0] : app_histogram.n[0];
    if (check_most(p->c.n[0], error) || get_bytes(p, error))
        return -1;
    app_spread(n_rows(&p->c), HISTOGRAM_ROW / 8, fill, p->bytes);
    return 0;
}

static int load(app_case *c, const app_request *q, char *error)
{
    histogram_case *p = (histogram_case *)c;
    if (app_check_request(&app_histogram, q, 1, error) ||
        app_opt_i64(&app_histogram, q, "tile", HISTOGRAM_ROW / 1024, 1 << 20, &p->tile, error) ||
        (q->n_inputs ? load_file(p, q, error) : make_up(p, q, error)))
        return -1;
    p->record.n = c->n[0];
    return 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_histogram, sizeof(histogram_case), load, q, error);
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    app_loop_close(c);
    free(((histogram_case *)c)->bytes);
    free(c);
}

static int build(app_case *c, heddle_ctx *ctx)
{
    histogram_case *p = (histogram_case *)c;
    app_loop_form f = app_loop_of(n_rows(c));
    app_loop_add_rows(&f, (app_rows){.host = p->bytes,
                                     .n_rows = n_rows(c),
                                     .row_bytes = HISTOGRAM_ROW,
                                     .mode = HEDDLE_MODE_IN,
                                     .field = offsetof(histogram_record, bytes)});
    app_loop_add_found(
        &f, (heddle_reduction){HEDDLE_SUM, HEDDLE_I64, HISTOGRAM_BINS, offsetof(histogram_record, bins), p->bins});
    f.desc.body = histogram_count;
    f.desc.tile = (uint64_t)p->tile * 1024 / HISTOGRAM_ROW;
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return app_loop_open(c, ctx, &f);
}

static void count(void *self, uint64_t begin, uint64_t end)
{
    histogram_case *p = self;
    int64_t bins[HISTOGRAM_BINS] = {0};
    for (uint64_t i = begin; i < end; i++)
        bins[p->bytes[i]]++;
    for (uint32_t k = 0; k < HISTOGRAM_BINS; k++)
        __atomic_fetch_add(&p->want[k], bins[k], __ATOMIC_RELAXED);
}

static int reference(app_case *c)
{
    histogram_case *p = (histogram_case *)c;
    if (!p->has_want)
        app_spread(c->n[0], 1, count, p);
    p->has_want = 1;
    return 0;
}

static int check(app_case *c)
{
    const histogram_case *p = (const histogram_case *)c;
    for (uint32_t k = 0; k < HISTOGRAM_BINS; k++)
        if (p->bins[k] != p->want[k]) {
            snprintf(c->error, APP_ERROR, "histogram: %" PRId64 " bytes are %u, the reference has %" PRId64, p->bins[k],
                     k, p->want[k]);
            return -1;
        }
    return 0;
}

static void answer(app_case *c, const app_sink *s)
{
    s->i64s(s->self, "hist256", ((const histogram_case *)c)->bins, HISTOGRAM_BINS, 0);
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {{"tile", "256", "kibibytes of a call of the body, a multiple of 4"},
                                     {NULL, NULL, NULL}};

const app app_histogram = {
    .name = "histogram",
    .summary = "how often each value occurs among bytes",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &histogram,
    .loops = &histogram,
    .scenarios = scenarios,
    .n = {1u << 26},
    .prepare = prepare,
    .read = app_loop_fetch,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
