/* SPDX-License-Identifier: MIT */
/* fbank.c - signals through a bank of filters, as in StreamIt: in each of eight channels a filter; of its samples every
 * eighth is kept, and the others become zero; another filter; then the channels' sum. In whole numbers, so that results are
 * exact. (One of the workloads of Pagoda: TOPC 6(4), Table 3.)
 *
 * Input: samples, of which each 2048 (columns) are a signal, and a rest is left out. Without: noise of 12 bits. */
#include "fbank_bodies.h"
#include "input.h"
#include "narrow.h"
#include "noise.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SIDE (1ull << 30)
enum { IN, FILTERS };

extern const app app_fbank;

typedef struct fbank_case {
    narrow n;
    fbank_record record;
} fbank_case;

/* ---- prepare ---- */

static const narrow_form form = {.record_bytes = sizeof(fbank_record),
                                 .in = {offsetof(fbank_record, in), offsetof(fbank_record, filters)},
                                 .out = offsetof(fbank_record, out)};

static int read_signals(narrow *n, const app_request *q, char *error)
{
    const uint64_t samples = q->n[1] ? q->n[1] : app_fbank.n[1];
    int16_t *in;
    uint64_t count;
    if (input_i16le(q->inputs[0], &in, &count, error))
        return -1;
    narrow_adopt(n, IN, in, count * sizeof *in);
    if (count >= samples)
        return app_sizes(&app_fbank, q, (const uint64_t[2]){count / samples, samples}, MAX_SIDE, 1, n->c.n, n->c.b,
                         error);
    snprintf(error, APP_ERROR, "%.200s: has %" PRIu64 " samples, a signal %" PRIu64, q->inputs[0], count, samples);
    return -1;
}

static int make_up(narrow *n, const app_request *q, char *error)
{
    int16_t *in;
    int64_t seed;
    uint64_t count;
    if (app_opt_i64(&app_fbank, q, "seed", 0, INT32_MAX, &seed, error) ||
        app_sizes(&app_fbank, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, n->c.n, n->c.b, error))
        return -1;
    count = n->c.n[0] * n->c.n[1];
    in = narrow_input(n, IN, count, sizeof *in, "the signals", error);
    for (uint64_t i = 0; in && i < count; i++)
        in[i] = (int16_t)((int64_t)(noise_u64((uint64_t)seed, i) >> 52) - 2048);
    return in ? 0 : -1;
}

/* Those of the known answers. */
static int make_filters(narrow *n, char *error)
{
    int32_t *to = narrow_input(n, FILTERS, 2 * FBANK_CHANNELS * FBANK_TAPS, sizeof *to, "the filters", error);
    for (int32_t c = 0; to && c < FBANK_CHANNELS; c++)
        for (int32_t k = 0; k < FBANK_TAPS; k++) {
            to[k * FBANK_CHANNELS + c] = FBANK_TAPS * c + k;
            to[(FBANK_CHANNELS + c) * FBANK_TAPS + k] = c * k + k + c;
        }
    return to ? 0 : -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    fbank_case *p = (fbank_case *)c;
    if (app_check_request(&app_fbank, q, 1, error) ||
        (q->n_inputs ? read_signals(&p->n, q, error) : make_up(&p->n, q, error)) || make_filters(&p->n, error) ||
        app_tasks_cut(c, error))
        return -1;
    p->record.samples = c->n[1];
    narrow_set(&p->n, &p->record, &form);
    p->n.in[IN].row_bytes = c->n[1] * sizeof *p->record.in;
    p->n.out.row_bytes = c->n[1] * sizeof *p->record.out;
    return narrow_results(&p->n, c->n[0] * c->n[1], sizeof(int64_t), error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_fbank, sizeof(fbank_case), load, q, error);
}

/* ---- reference and answer ---- */

/* Adds the filtered signal. A filter's taps are `step` apart. */
static void filter(const int32_t *taps, uint64_t step, const int64_t *in, int64_t *out, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        for (uint64_t k = 0; k < FBANK_TAPS && k <= j; k++)
            out[j] += taps[k * step] * in[j - k];
}

static void channel(const int32_t *before, const int32_t *after, const int64_t *in, int64_t *kept, int64_t *out,
                    uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        kept[j] = 0;
    filter(before, FBANK_CHANNELS, in, kept, n);
    for (uint64_t j = 0; j < n; j++)
        kept[j] = j % FBANK_KEPT ? 0 : kept[j];
    filter(after, 1, kept, out, n);
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    const narrow *n = self;
    const uint64_t samples = n->c.n[1];
    const int32_t *filters = n->in[FILTERS].host;
    int64_t *in = malloc(2 * samples * sizeof *in);
    if (!in)
        return; /* the results will not be equal */
    for (uint64_t r = begin; r < end; r++) {
        for (uint64_t j = 0; j < samples; j++)
            in[j] = ((const int16_t *)n->in[IN].host)[r * samples + j];
        for (int c = 0; c < FBANK_CHANNELS; c++)
            channel(filters + c, filters + (FBANK_CHANNELS + c) * FBANK_TAPS, in, in + samples,
                    (int64_t *)n->want + r * samples, samples);
    }
    free(in);
}

static int reference(app_case *c)
{
    return narrow_reference(c, sizeof(int64_t), c->n[0], c->n[1] * FBANK_CHANNELS * FBANK_TAPS * 2, fill);
}

static void answer(app_case *c, const app_sink *s)
{
    const narrow *n = (const narrow *)c;
    const int64_t *y = n->out.host;
    uint64_t sum = 0; /* modulo 2^64 */
    int64_t least = y[0], most = y[0];
    char hex[65];
    for (uint64_t i = 0; i < n->n_results; i++) {
        sum += (uint64_t)y[i];
        least = y[i] < least ? y[i] : least;
        most = y[i] > most ? y[i] : most;
    }
    app_sha256(y, n->out.n_bytes, hex);
    s->u64(s->self, "signals", c->n[0]);
    s->u64(s->self, "signal_len", c->n[1]);
    s->i64(s->self, "sum_all", (int64_t)sum);
    s->i64(s->self, "max", most);
    s->i64(s->self, "min", least);
    if (hex[0])
        s->text(s->self, "sha256_int64le_all_signals", hex);
}

static const app_option options[] = {{"seed", "1", "of the signals that are made up when there is no input"},
                                     {NULL, NULL, NULL}};

const app app_fbank = {
    .name = "fbank",
    .summary = "signals (rows) of so many samples (columns) through a bank of eight filters, exact",
    .formats = "raw 16-bit little-endian samples, signals one after another",
    .options = options,
    .table = &fbank,
    .apart = &fbank_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {256, 2048},
    .b = {1, 2048},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = narrow_equal,
    .answer = answer,
    .free = narrow_free,
};
