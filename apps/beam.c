/* SPDX-License-Identifier: MIT */
/* beam.c - a beam former, as in StreamIt: each beam is the sum of all channels, weighted so that what comes from its direction
 * adds up; a filter matched to a known pulse; and the power of the result. The filters of channels that StreamIt has before
 * would be the same work for all beams, and are left out. (One of the workloads of Pagoda: TOPC 6(4), Table 3.)
 *
 * Channels stand in a line, half a wave apart, beams look evenly over all sines of angles. The made-up signals are noise, and in
 * the middle a pulse of rising frequency from the direction with sine 0.3, where the power is largest.
 *
 * The reference is in double precision. A sum's error is at most (channels + taps + 8) roundings of what adds up in size:
 * weights have the size 1, those of the filter add up to 1, and a signal is at most 2.5. */
#include "beam_bodies.h"
#include "narrow.h"
#include "noise.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>

#define MAX_SIDE (1ull << 30)
#define SINE 0.3
enum { IN, WEIGHTS, FILTER };

extern const app app_beam;

typedef struct beam_case {
    narrow n;
    beam_record record;
    int64_t channels, taps, seed;
} beam_case;

/* ---- inputs ---- */

/* 1 at an angle, in half turns. */
static double complex unit(double half_turns) { return cexp(I * acos(-1) * half_turns); }

static beam_number number(double complex z) { return (beam_number){(float)creal(z), (float)cimag(z)}; }
static double complex wide(beam_number z) { return (double)z.re + I * (double)z.im; }

/* Sample k of the pulse. */
static double complex pulse(const beam_case *p, double k) { return unit(k * k / (double)p->taps); }

static double complex sample(const beam_case *p, int64_t channel, int64_t at)
{
    const int64_t samples = (int64_t)p->n.c.n[1], since = at - samples / 2;
    const uint64_t i = 2 * (uint64_t)(channel * samples + at), seed = (uint64_t)p->seed;
    const double complex noise = 2 * noise_unit(seed, i) - 1 + I * (2 * noise_unit(seed, i + 1) - 1);
    return since >= 0 && since < p->taps ? noise + pulse(p, (double)since) * unit((double)channel * SINE) : noise;
}

static int make_signals(beam_case *p, char *error)
{
    const int64_t samples = (int64_t)p->n.c.n[1];
    beam_number *in = narrow_input(&p->n, IN, p->n.c.n[1], (uint64_t)p->channels * sizeof *in, "the signals", error);
    for (int64_t c = 0; in && c < p->channels; c++)
        for (int64_t at = 0; at < samples; at++)
            in[c * samples + at] = number(sample(p, c, at));
    return in ? 0 : -1;
}

/* Beam b of n looks to the sine (2 b + 1 - n) / n. */
static int make_weights(beam_case *p, char *error)
{
    const int64_t n = (int64_t)p->n.c.n[0];
    beam_number *to =
        narrow_input(&p->n, WEIGHTS, p->n.c.n[0], (uint64_t)p->channels * sizeof *to, "the weights", error);
    for (int64_t b = 0; to && b < n; b++)
        for (int64_t c = 0; c < p->channels; c++)
            to[b * p->channels + c] = number(unit(-(double)c * (double)(2 * b + 1 - n) / (double)n));
    return to ? 0 : -1;
}

/* The pulse backward, conjugate. */
static int make_filter(beam_case *p, char *error)
{
    beam_number *to = narrow_input(&p->n, FILTER, (uint64_t)p->taps, sizeof *to, "the filter", error);
    for (int64_t k = 0; to && k < p->taps; k++)
        to[k] = number(conj(pulse(p, (double)(p->taps - 1 - k))) / (double)p->taps);
    return to ? 0 : -1;
}

/* ---- prepare ---- */

static const narrow_form form = {
    .record_bytes = sizeof(beam_record),
    .in = {offsetof(beam_record, in), offsetof(beam_record, weights), offsetof(beam_record, filter)},
    .out = offsetof(beam_record, power)};

static int get_options(beam_case *p, const app_request *q, char *error)
{
    const app *a = &app_beam;
    return app_opt_i64(a, q, "channels", 1, 1024, &p->channels, error) ||
                   app_opt_i64(a, q, "taps", 1, BEAM_MOST_TAPS, &p->taps, error) ||
                   app_opt_i64(a, q, "seed", 0, INT32_MAX, &p->seed, error)
               ? -1
               : 0;
}

static int load(app_case *c, const app_request *q, char *error)
{
    beam_case *p = (beam_case *)c;
    if (app_check_request(&app_beam, q, 0, error) || get_options(p, q, error) ||
        app_sizes(&app_beam, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, c->n, c->b, error) || app_tasks_cut(c, error) ||
        make_signals(p, error) || make_weights(p, error) || make_filter(p, error))
        return -1;
    p->record = (beam_record){.samples = c->n[1], .channels = (uint32_t)p->channels, .taps = (uint32_t)p->taps};
    narrow_set(&p->n, &p->record, &form);
    p->n.in[WEIGHTS].row_bytes = (uint64_t)p->channels * sizeof *p->record.weights;
    p->n.out.row_bytes = c->n[1] * sizeof *p->record.power;
    return narrow_results(&p->n, c->n[0] * c->n[1], sizeof(float), error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_beam, sizeof(beam_case), load, q, error);
}

/* ---- reference and check ---- */

static double complex steered(const beam_case *p, uint64_t beam, int64_t at)
{
    const beam_number *in = p->n.in[IN].host, *weights = p->n.in[WEIGHTS].host;
    double complex sum = 0;
    for (int64_t c = 0; c < p->channels; c++)
        sum += wide(weights[(int64_t)beam * p->channels + c]) * wide(in[c * (int64_t)p->record.samples + at]);
    return sum;
}

/* A ring has the last sums. */
static void fill_beam(const beam_case *p, uint64_t beam, double *power)
{
    const beam_number *filter = p->n.in[FILTER].host;
    double complex ring[BEAM_MOST_TAPS] = {0};
    for (int64_t at = 0; at < (int64_t)p->record.samples; at++) {
        double complex z = 0;
        ring[at % BEAM_MOST_TAPS] = steered(p, beam, at);
        for (int64_t k = 0; k < p->taps && k <= at; k++)
            z += wide(filter[k]) * ring[(at - k) % BEAM_MOST_TAPS];
        power[at] = creal(z) * creal(z) + cimag(z) * cimag(z);
    }
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    const beam_case *p = self;
    for (uint64_t b = begin; b < end; b++)
        fill_beam(p, b, (double *)p->n.want + b * p->record.samples);
}

static int reference(app_case *c)
{
    const beam_case *p = (const beam_case *)c;
    return narrow_reference(c, sizeof(double), c->n[0], c->n[1] * (uint64_t)(p->channels + p->taps) * 4, fill);
}

/* Either part of a complex product adds up numbers of at most twice its size, of one product after another four times. `off` is
 * the distance of z, of which the power is the square. */
static double allowed(const app_case *c, double want)
{
    const beam_case *p = (const beam_case *)c;
    const double off = sqrt(2) * 4 * (double)(p->channels + p->taps + 8) * 0x1p-24 * 2.5 * (double)p->channels;
    return 2 * sqrt(want) * off + off * off + 4 * want * 0x1p-24;
}

static int check(app_case *c) { return narrow_near(c, allowed); }

static void answer(app_case *c, const app_sink *s)
{
    const narrow *n = (const narrow *)c;
    const float *power = n->out.host;
    uint64_t best = 0;
    for (uint64_t i = 1; i < n->n_results; i++)
        best = power[i] > power[best] ? i : best;
    s->u64(s->self, "strongest_beam", best / c->n[1]);
    s->u64(s->self, "strongest_sample", best % c->n[1]);
    narrow_answer_floats(c, s);
}

static const app_option options[] = {{"channels", "12", "sensors"},
                                     {"taps", "32", "of the filter, and samples of the pulse, up to 64"},
                                     {"seed", "1", "of the noise"},
                                     {NULL, NULL, NULL}};

const app app_beam = {
    .name = "beam",
    .summary = "a beam former: the power of beams (rows) over so many samples (columns), single precision",
    .formats = "none",
    .options = options,
    .table = &beam,
    .apart = &beam_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {128, 2048},
    .b = {1, 2048},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = narrow_free,
};
