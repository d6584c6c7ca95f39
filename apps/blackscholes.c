/* SPDX-License-Identifier: MIT */
/* blackscholes.c - prices of European options, call and put, by the formula of Black and Scholes, in single precision: 12 bytes in and 8
 * out an option. Prices, strikes and times are made up by a linear congruential generator, so that each option is another one. The
 * reference is computed in double precision by the C library. (Belviranli's thesis, section 3.4; a CUDA sample, and PARSEC.) */
#include "loop.h"

#include "blackscholes_bodies.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST (UINT64_C(1) << 30)

extern const app app_blackscholes;

typedef struct blackscholes_case {
    app_case c;
    float *data;                /* n each of spot, strike, years, call, put */
    float *want;                /* n each of call and put; NULL until there is a reference */
    blackscholes_record record; /* its pointers are set by the loop */
    int64_t tile;
    uint64_t differs; /* first option that does, for the check */
} blackscholes_case;

static float *part(const blackscholes_case *p, uint32_t k) { return p->data + k * p->c.n[0]; }

/* ---- input ---- */

/* x = factor * x + add, done n times, as one such step. */
typedef struct step {
    uint32_t factor, add;
} step;

static step step_of(uint64_t n)
{
    step all = {1, 0}, power = {1664525u, 1013904223u};
    for (; n; n >>= 1) {
        if (n & 1)
            all = (step){power.factor * all.factor, power.factor * all.add + power.add};
        power = (step){power.factor * power.factor, power.factor * power.add + power.add};
    }
    return all;
}

static double next(uint32_t *x)
{
    *x = 1664525u * *x + 1013904223u;
    return (double)(*x >> 8) * 0x1p-24;
}

static void fill(void *self, uint64_t begin, uint64_t end)
{
    const blackscholes_case *p = self;
    const step jump = step_of(3 * begin);
    uint32_t x = jump.factor * 12345u + jump.add;
    for (uint64_t i = begin; i < end; i++) {
        part(p, 0)[i] = (float)(5 + 25 * next(&x));
        part(p, 1)[i] = (float)(1 + 99 * next(&x));
        part(p, 2)[i] = (float)(0.25 + 9.75 * next(&x));
    }
}

static int load(app_case *c, const app_request *q, char *error)
{
    blackscholes_case *p = (blackscholes_case *)c;
    double rate, volatility;
    if (app_check_request(&app_blackscholes, q, 0, error) ||
        app_opt_f64(&app_blackscholes, q, "rate", 0, 1, &rate, error) ||
        app_opt_f64(&app_blackscholes, q, "volatility", 0.01, 2, &volatility, error) ||
        app_opt_i64(&app_blackscholes, q, "tile", 1, 1 << 24, &p->tile, error))
        return -1;
    c->n[0] = q->n[0] ? q->n[0] : app_blackscholes.n[0];
    if (c->n[0] > MOST) {
        snprintf(error, APP_ERROR, "%" PRIu64 " options are too many: blackscholes takes %" PRIu64 " at most", c->n[0],
                 MOST);
        return -1;
    }
    p->record.rate = (float)rate;
    p->record.volatility = (float)volatility;
    p->data = app_alloc(c->n[0], 5 * sizeof *p->data, "the options", error);
    if (!p->data)
        return -1;
    app_spread(c->n[0], 8, fill, p);
    return 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_blackscholes, sizeof(blackscholes_case), load, q, error);
}

static void free_case(app_case *c)
{
    blackscholes_case *p = (blackscholes_case *)c;
    if (!c)
        return;
    app_loop_close(c);
    free(p->data);
    free(p->want);
    free(p);
}

/* ---- the loop ---- */

static int build(app_case *c, heddle_ctx *ctx)
{
    static const size_t fields[5] = {offsetof(blackscholes_record, spot), offsetof(blackscholes_record, strike),
                                     offsetof(blackscholes_record, years), offsetof(blackscholes_record, call),
                                     offsetof(blackscholes_record, put)};
    blackscholes_case *p = (blackscholes_case *)c;
    app_loop_form f = app_loop_of(c->n[0]);
    for (uint32_t k = 0; k < 5; k++)
        app_loop_add_rows(&f, (app_rows){.host = part(p, k),
                                         .n_rows = c->n[0],
                                         .row_bytes = sizeof(float),
                                         .mode = k < 3 ? HEDDLE_MODE_IN : HEDDLE_MODE_OUT,
                                         .field = fields[k]});
    f.desc.body = blackscholes_price;
    f.desc.tile = (uint64_t)p->tile;
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return app_loop_open(c, ctx, &f);
}

/* ---- reference and check ---- */

static double below(double d) { return 0.5 * erfc(-d * M_SQRT1_2); }

static void price(void *self, uint64_t begin, uint64_t end)
{
    blackscholes_case *p = self;
    const double rate = (double)p->record.rate, volatility = (double)p->record.volatility;
    for (uint64_t i = begin; i < end; i++) {
        const double spot = (double)part(p, 0)[i], strike = (double)part(p, 1)[i], years = (double)part(p, 2)[i];
        const double spread = volatility * sqrt(years);
        const double d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread;
        const double paid = strike * exp(-rate * years);
        p->want[i] = (float)(spot * below(d1) - paid * below(d1 - spread));
        p->want[p->c.n[0] + i] = (float)(paid * below(spread - d1) - spot * below(-d1));
    }
}

static int reference(app_case *c)
{
    blackscholes_case *p = (blackscholes_case *)c;
    if (p->want)
        return 0;
    p->want = app_alloc(c->n[0], 2 * sizeof *p->want, "the reference", c->error);
    if (!p->want)
        return -1;
    app_spread(c->n[0], 64, price, p);
    return 0;
}

/* What single precision may lose of a difference of two products of up to 100, and of the formula's own error. */
static int is_near(float got, float want) { return fabsf(got - want) <= 6e-5f + 4e-6f * fabsf(want); }

static void compare(void *self, uint64_t begin, uint64_t end)
{
    blackscholes_case *p = self;
    const uint64_t n = p->c.n[0];
    for (uint64_t i = begin; i < end; i++)
        if (!is_near(part(p, 3)[i], p->want[i]) || !is_near(part(p, 4)[i], p->want[n + i])) {
            app_least(&p->differs, i);
            return;
        }
}

static int check(app_case *c)
{
    blackscholes_case *p = (blackscholes_case *)c;
    const uint64_t n = c->n[0];
    p->differs = UINT64_MAX;
    app_spread(n, 2, compare, p);
    if (p->differs == UINT64_MAX)
        return 0;
    snprintf(c->error, APP_ERROR,
             "blackscholes: option %" PRIu64 " costs %.9g as a call and %.9g as a put, the reference has %.9g and %.9g",
             p->differs, (double)part(p, 3)[p->differs], (double)part(p, 4)[p->differs], (double)p->want[p->differs],
             (double)p->want[n + p->differs]);
    return -1;
}

static void answer(app_case *c, const app_sink *s)
{
    const blackscholes_case *p = (const blackscholes_case *)c;
    double call = 0, put = 0;
    for (uint64_t i = 0; i < c->n[0]; i++) {
        call += (double)part(p, 3)[i];
        put += (double)part(p, 4)[i];
    }
    s->f64(s->self, "sum_call", call);
    s->f64(s->self, "sum_put", put);
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {{"rate", "0.02", "interest without risk, a year"},
                                     {"volatility", "0.3", "of the prices, a year"},
                                     {"tile", "4096", "options of a call of the body"},
                                     {NULL, NULL, NULL}};

const app app_blackscholes = {
    .name = "blackscholes",
    .summary = "prices of European options (Black and Scholes, fp32)",
    .formats = "none",
    .options = options,
    .table = &blackscholes,
    .loops = &blackscholes,
    .scenarios = scenarios,
    .n = {1u << 20},
    .prepare = prepare,
    .read = app_loop_fetch,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
