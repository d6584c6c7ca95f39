/* SPDX-License-Identifier: MIT */
/* dtw.c - dynamic time warping of two signals: inputs, reference, check, answer.
 *
 * One file of samples for both signals, or one each; or made-up ones: beats of uneven length, each a spike and a hump,
 * over noise. Refuses missing samples, and signals so long and so far apart that a cell may pass 31 bits. The bound is
 * max(n, m) times the largest difference: a path of at most max(n, m) cells leads to any cell. */
#include "border.h"
#include "dtw_wave_bodies.h"
#include "input.h"
#include "noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_dtw;

typedef struct dtw_case {
    border_case border;
    dtw_params params;
    uint64_t offset[2];
} dtw_case;

/* ---- reference --------------------------------------------------------------------------------- */

static void next_row(const border_case *c, uint64_t i, const int32_t *above, int32_t *row, void *sums)
{
    dtw_sums *s = sums;
    int32_t left = DTW_INFINITE, both = i ? DTW_INFINITE : 0;
    uint64_t j;
    for (j = 0; j < c->base.n[1]; j++) {
        int32_t up = above ? above[j] : DTW_INFINITE;
        int32_t least = both < up ? both : up;
        least = left < least ? left : least;
        row[j] = left = least + abs(c->x[i] - c->y[j]);
        s->sum += (uint64_t)left;
        s->max = left > s->max ? left : s->max;
        both = up;
    }
}

/* ---- inputs ------------------------------------------------------------------------------------ */

/* Options not yet resolved against the files. */
typedef struct signal_request {
    int64_t offset[2], n[2], seed;
} signal_request;

static int get_options(const app_request *q, signal_request *r, char *error)
{
    const app *a = &app_dtw;
    return app_opt_i64(a, q, "x_off", 0, INT64_MAX / 4, &r->offset[0], error) ||
                   app_opt_i64(a, q, "y_off", -1, INT64_MAX / 4, &r->offset[1], error) ||
                   app_opt_i64(a, q, "n", 0, INT64_MAX / 4, &r->n[0], error) ||
                   app_opt_i64(a, q, "m", 0, INT64_MAX / 4, &r->n[1], error) ||
                   app_opt_i64(a, q, "seed", 0, INT32_MAX, &r->seed, error)
               ? -1
               : 0;
}

/* The requested size; else the app's default, or what is left of a file. */
static uint64_t size_of(const app_request *q, const signal_request *r, int d, uint64_t left)
{
    if (r->n[d] || q->n[d])
        return r->n[d] ? (uint64_t)r->n[d] : q->n[d];
    return left < app_dtw.n[d] ? left : app_dtw.n[d];
}

static int read_signal(dtw_case *c, const app_request *q, const signal_request *r, int d, uint64_t *n, char *error)
{
    const char *path = q->inputs[q->n_inputs == 2 ? d : 0];
    int16_t *samples;
    uint64_t n_samples, offset;
    if (input_i16le(path, &samples, &n_samples, error))
        return -1;
    offset = r->offset[d] >= 0 ? (uint64_t)r->offset[d] : q->n_inputs == 2 ? 0 : n_samples / 2;
    *n = size_of(q, r, d, offset < n_samples ? n_samples - offset : 1);
    if (offset >= n_samples || *n > n_samples - offset) {
        snprintf(error, APP_ERROR, "%.200s: has %" PRIu64 " samples, %" PRIu64 " from %" PRIu64 " on were asked for",
                 path, n_samples, *n, offset);
        free(samples);
        return -1;
    }
    memmove(samples, samples + offset, *n * sizeof *samples);
    *(d ? &c->border.y : &c->border.x) = samples;
    c->offset[d] = offset;
    return 0;
}

/* A beat begins somewhere in the first quarter of each BEAT samples: a spike of 8 samples, a hump 60 later. */
#define BEAT 320
static int16_t made_up(uint64_t seed, uint64_t k)
{
    uint64_t jitter = noise_u64(seed, UINT64_MAX / 2 + k / BEAT) % (BEAT / 4);
    int64_t at = (int64_t)(k % BEAT) - (int64_t)jitter;
    int64_t spike = at >= 0 && at < 8 ? 40 * (at < 4 ? at : 8 - at) : 0;
    int64_t hump = at > 60 && at < 140 ? (at - 60) * (140 - at) / 20 : 0;
    return (int16_t)(960 + (int64_t)(noise_u64(seed, k) % 16) + spike + hump);
}

static int make_signals(dtw_case *c, const signal_request *r, char *error)
{
    int d;
    for (d = 0; d < 2; d++) {
        uint64_t k, n = c->border.base.n[d];
        int16_t *to = app_alloc(n, sizeof *to, "a signal", error);
        if (!to)
            return -1;
        *(d ? &c->border.y : &c->border.x) = to;
        c->offset[d] = r->offset[d] > 0 ? (uint64_t)r->offset[d] : 0;
        for (k = 0; k < n; k++)
            to[k] = made_up((uint64_t)r->seed + (uint64_t)d, c->offset[d] + k);
    }
    return 0;
}

static void extend(const int16_t *v, uint64_t n, int64_t range[2])
{
    uint64_t k;
    for (k = 0; k < n; k++) {
        range[0] = v[k] < range[0] ? v[k] : range[0];
        range[1] = v[k] > range[1] ? v[k] : range[1];
    }
}

static int portable_fits(const border_case *c, char *error)
{
    const uint64_t *b = c->base.b;
    if (b[0] > DTW_MAX_BLOCK || b[1] > DTW_MAX_BLOCK) {
        snprintf(error, APP_ERROR, "blocks of %" PRIu64 " x %" PRIu64 " are too large: dtw takes %d at most", b[0],
                 b[1], DTW_MAX_BLOCK);
        return -1;
    }
    return 0;
}

static int check_range(const dtw_case *c, char *error)
{
    const uint64_t *n = c->border.base.n;
    int64_t x[2] = {INT16_MAX, INT16_MIN}, y[2] = {INT16_MAX, INT16_MIN}, apart;
    extend(c->border.x, n[0], x);
    extend(c->border.y, n[1], y);
    apart = x[1] - y[0] > y[1] - x[0] ? x[1] - y[0] : y[1] - x[0];
    if ((uint64_t)apart * (n[0] > n[1] ? n[0] : n[1]) < DTW_INFINITE)
        return border_check_fit(&c->border, error);
    snprintf(error, APP_ERROR, "%" PRIu64 " x %" PRIu64 " samples that differ by up to %" PRId64 " may pass 2^31", n[0],
             n[1], apart);
    return -1;
}

static int prepare(dtw_case *c, const app_request *q, char *error)
{
    app_case *base = &c->border.base;
    uint64_t n_input[2];
    signal_request r;
    int d;
    if (app_check_request(&app_dtw, q, 2, error) || get_options(q, &r, error) ||
        border_options(&c->border, &app_dtw, q, error))
        return -1;
    for (d = 0; d < 2; d++) {
        n_input[d] = (uint64_t)r.n[d];
        if (q->n_inputs && read_signal(c, q, &r, d, &n_input[d], error))
            return -1;
    }
    if (app_sizes(&app_dtw, q, n_input, BORDER_MAX_N, 1, base->n, base->b, error))
        return -1;
    if (q->n_inputs == 0 && make_signals(c, &r, error))
        return -1;
    return check_range(c, error);
}

/* ---- the app ----------------------------------------------------------------------------------- */

static uint32_t shared_bytes(uint32_t h, uint32_t w) { return DTW_SHARED_BYTES(h, w); }

static void add_sums(void *sums, const void *more) { dtw_add(sums, more); }

static void take(void *sums, const void *found, int has_sums)
{
    dtw_sums *s = sums;
    const dtw_found *f = found;
    s->sum = has_sums ? cell_sum_of(f->sum) : 0;
    s->max = has_sums ? f->max : 0;
}

static const border_kind kind = {.body = dtw_tile,
                                 .shared_bytes = shared_bytes,
                                 .portable_fits = portable_fits,
                                 .outside = DTW_INFINITE,
                                 .add = add_sums,
                                 .cells = {dtw_cell, dtw_cell_sums},
                                 .take = take,
                                 .next_row = next_row};

/* A wave's cell needs only its two samples. */
static const heddle_nothing no_params;

static int load(app_case *base, const app_request *q, char *error)
{
    dtw_case *c = (dtw_case *)base;
    border_begin(&c->border, &kind, &c->params.grid, BORDER_RECORD(c->params), BORDER_RECORD(no_params));
    return prepare(c, q, error);
}

static app_case *new_case(const app_request *q, char *error)
{
    return app_prepare(&app_dtw, sizeof(dtw_case), load, q, error);
}

static int check(app_case *base)
{
    border_case *c = (border_case *)base;
    dtw_sums got, want;
    memcpy(&got, c->sums_read, sizeof got);
    memcpy(&want, c->true_sums, sizeof want);
    if (border_check(base))
        return -1;
    if (!c->sums || (got.sum == want.sum && got.max == want.max))
        return 0;
    snprintf(base->error, APP_ERROR,
             "the cells' sum is %" PRIu64 " and the largest %" PRId32 "; the reference has %" PRIu64 " and %" PRId32,
             got.sum, got.max, want.sum, want.max);
    return -1;
}

static void answer(app_case *base, const app_sink *s)
{
    const dtw_case *c = (const dtw_case *)base;
    dtw_sums all;
    memcpy(&all, c->border.sums_read, sizeof all);
    s->u64(s->self, "x_off", c->offset[0]);
    s->u64(s->self, "y_off", c->offset[1]);
    s->u64(s->self, "n", base->n[0]);
    s->u64(s->self, "m", base->n[1]);
    s->i64(s->self, "dtw", c->border.row[base->n[1] - 1]);
    if (!c->border.sums)
        return;
    s->u64(s->self, "sum_D", all.sum);
    s->i64(s->self, "max_D", all.max);
}

static const app_option options[] = {
    {"x_off", "0", "first sample of the first signal"},
    {"y_off", "-1", "first sample of the second; -1 = the middle of the only file, else 0"},
    {"n", "0", "samples of the first signal, 0 = as -n, else 4608 or what the file has"},
    {"m", "0", "samples of the second signal, likewise"},
    {"seed", "1", "of the signals that are made up when there is no input"},
    BORDER_OPTIONS,
    {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, border_build, border_reset, border_tiles},
                                         {&app_wave, border_wave_build, border_wave_reset, NULL},
                                         {&app_wavefront, border_front_build, border_front_reset, NULL},
                                         {.engine = NULL}};

const app app_dtw = {
    .name = "dtw",
    .summary = "dynamic time warping: distance of two signals, |x - y| and three-way minimum",
    .formats = "one or two files of raw 16-bit little-endian samples",
    .options = options,
    .table = &dtw,
    .cells = &dtw_wave,
    .scenarios = scenarios,
    .n = {4608, 4608},
    .b = {64, 64},
    .prepare = new_case,
    .read = border_read,
    .reference = border_reference,
    .check = check,
    .answer = answer,
    .free = border_free,
};
