/* SPDX-License-Identifier: MIT */
/* quad.c - adaptive quadrature by fork and join: the integral over [0, 1] of functions with a singularity in each of n
 * teeth. An interval is halved until its integral is known well enough; sums follow the order of the tree. The result
 * has the bits of the same recursion by one thread, and is within eps of the known integral, but for what intervals at
 * the cutoff hide. */
#include "app.h"
#include "quad_bodies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEETH (1u << 20)
#define MAX_CUTOFF 50 /* a double has 53 bits */

extern const app app_quad;

static const char *const names[] = {"root", "pole", "kink", "step", "peak"};
#define N_FUNCTIONS (sizeof names / sizeof *names)

/* Results of tasks, besides the halves. */
typedef struct outcome {
    double integral;
    uint32_t n_taken, pad;
} outcome;

typedef struct quad_case {
    app_case base;
    quad_params params;
    outcome *on_device;
    outcome found;
    double expected;
    uint64_t n_expected; /* halved intervals */
    int has_expected;
} quad_case;

/* ---- requests ----------------------------------------------------------------------------------- */

static int get_function(quad_case *c, const app_request *q, char *error)
{
    const char *text = app_opt_text(&app_quad, q, "f");
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        if (!strcmp(text, names[i])) {
            c->params.f = i;
            return 0;
        }
    snprintf(error, APP_ERROR, "option f: '%.64s' is not root, pole, kink, step or peak", text);
    return -1;
}

static int get_teeth(quad_case *c, const app_request *q, char *error)
{
    const uint64_t n = q->n[0] ? q->n[0] : app_quad.n[0];
    if (n > MAX_TEETH || (q->n[1] && q->n[1] != n)) {
        snprintf(error, APP_ERROR, "quad has one size, the number of teeth: %u at most", MAX_TEETH);
        return -1;
    }
    c->base.n[0] = n;
    c->base.b[0] = 1;
    c->params.n_teeth = (uint32_t)n;
    /* No examined interval exceeds a quarter of a tooth: its points might all fall on one place of teeth. */
    for (c->params.min_depth = 2; 4 * n > (uint64_t)1 << c->params.min_depth;)
        c->params.min_depth++;
    return 0;
}

static int load(app_case *base, const app_request *q, char *error)
{
    quad_case *c = (quad_case *)base;
    int64_t n_points, cutoff;
    if (app_check_request(&app_quad, q, 0, error) || get_function(c, q, error) || get_teeth(c, q, error) ||
        app_opt_f64(&app_quad, q, "eps", 1e-12, 1, &c->params.eps, error) ||
        app_opt_i64(&app_quad, q, "points", 4, 1 << 16, &n_points, error) ||
        app_opt_i64(&app_quad, q, "cutoff", 0, MAX_CUTOFF, &cutoff, error))
        return -1;
    if (n_points % 4) {
        snprintf(error, APP_ERROR, "option points: %" PRId64 " is not a multiple of 4", n_points);
        return -1;
    }
    c->params.n_points = (uint32_t)n_points;
    c->params.cutoff = (uint32_t)cutoff;
    base->record = &c->params;
    base->record_bytes = sizeof c->params;
    return 0;
}

static void free_case(app_case *base)
{
    quad_case *c = (quad_case *)base;
    if (!c)
        return;
    heddle_graph_free(base->graph);
    if (base->ctx) {
        heddle_mem_free(base->ctx, c->params.halves);
        heddle_mem_free(base->ctx, c->on_device);
    }
    free(c);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_quad, sizeof(quad_case), load, q, error);
}

/* ---- reference and check ---------------------------------------------------------------------------- */

/* By partials, as the threads do it. */
static quad_sums add_points(const quad_params *params, double begin, double step)
{
    quad_sums p[HEDDLE_N_PARTIALS];
    for (uint32_t v = 0; v < HEDDLE_N_PARTIALS; v++)
        p[v] = quad_partial(params, begin, step, v);
    for (uint32_t half = HEDDLE_N_PARTIALS / 2; half > 0; half /= 2)
        for (uint32_t v = 0; v < half; v++) {
            p[v].fine += p[v + half].fine;
            p[v].coarse += p[v + half].coarse;
        }
    return p[0];
}

static double integrate(const quad_params *params, uint64_t at, uint32_t depth, uint64_t *n_halved)
{
    const double width = quad_width(depth), step = width / params->n_points;
    double integral = 0, left;
    int fits = 0;
    if (depth >= params->min_depth)
        integral = quad_integral(params, depth, add_points(params, (double)at * width, step), &fits);
    if (fits)
        return integral;
    ++*n_halved;
    left = integrate(params, 2 * at, depth + 1, n_halved);
    return left + integrate(params, 2 * at + 1, depth + 1, n_halved);
}

static int reference(app_case *base)
{
    quad_case *c = (quad_case *)base;
    if (!c->has_expected)
        c->expected = integrate(&c->params, 0, 0, &c->n_expected);
    c->has_expected = 1;
    return 0;
}

/* The integral of one tooth, which equals that of n teeth. */
static double known_integral(uint32_t f)
{
    switch (f) {
    case QUAD_ROOT: return 2.0 / 3;
    case QUAD_POLE: return 4.0 / 3;
    case QUAD_KINK: return 5.0 / 18;
    case QUAD_STEP: return 1.0 / 3;
    default: return atan((1 - QUAD_PEAK_AT) / QUAD_PEAK_WIDTH) + atan(QUAD_PEAK_AT / QUAD_PEAK_WIDTH);
    }
}

/* A bound for what intervals of the least width hide. */
static double hidden(const quad_params *params)
{
    const uint32_t depth = params->cutoff > params->min_depth ? params->cutoff : params->min_depth;
    const double width = params->n_teeth * quad_width(depth);
    switch (params->f) {
    case QUAD_POLE: return 4.0 / 3 * pow(width, 0.75);
    case QUAD_PEAK: return width / QUAD_PEAK_WIDTH;
    default: return width;
    }
}

static int check(app_case *base)
{
    const quad_case *c = (const quad_case *)base;
    const double known = known_integral(c->params.f);
    if (memcmp(&c->found.integral, &c->expected, sizeof c->expected) || c->found.n_taken != c->n_expected) {
        snprintf(base->error, APP_ERROR,
                 "the integral is %.17g with %" PRIu32 " intervals halved; one thread finds %.17g with %" PRIu64,
                 c->found.integral, c->found.n_taken, c->expected, c->n_expected);
        return -1;
    }
    if (fabs(c->found.integral - known) <= c->params.eps + hidden(&c->params))
        return 0;
    snprintf(base->error, APP_ERROR, "the integral is %.17g; known is %.17g, and %g of error is allowed",
             c->found.integral, known, c->params.eps + hidden(&c->params));
    return -1;
}

/* ---- the graph ---------------------------------------------------------------------------------- */

static int reset(app_case *base)
{
    quad_case *c = (quad_case *)base;
    const outcome none = {-1, 0, 0};
    if (heddle_mem_write(base->ctx, c->on_device, &none, sizeof none) == HEDDLE_OK)
        return 0;
    return app_heddle_error(base, "clearing the result");
}

static int allocate(quad_case *c)
{
    void *halves = NULL, *out = NULL;
    heddle_status s = heddle_mem_new(c->base.ctx, (c->n_expected + 1) * sizeof(quad_halves), &halves);
    c->params.halves = halves;
    if (s == HEDDLE_OK)
        s = heddle_mem_new(c->base.ctx, sizeof(outcome), &out);
    c->on_device = out;
    if (s != HEDDLE_OK)
        return app_heddle_error(&c->base, "memory for the intervals");
    c->params.n_taken = &c->on_device->n_taken;
    c->params.n_halves = (uint32_t)c->n_expected;
    return 0;
}

/* The reference yields the number of intervals. */
static int build(app_case *base, heddle_ctx *ctx)
{
    quad_case *c = (quad_case *)base;
    quad_interval all = {NULL, 0, 0};
    base->ctx = ctx;
    if (reference(base) || allocate(c) || reset(base))
        return -1;
    all.to = &c->on_device->integral;
    if (heddle_graph_new(ctx, &quad, &base->graph) != HEDDLE_OK ||
        heddle_graph_add(base->graph, quad_part, &all, sizeof all, NULL, 0, NULL) != HEDDLE_OK)
        return app_heddle_error(base, "making the graph");
    return 0;
}

static int read(app_case *base)
{
    quad_case *c = (quad_case *)base;
    if (heddle_mem_read(base->ctx, &c->found, c->on_device, sizeof c->found) == HEDDLE_OK)
        return 0;
    return app_heddle_error(base, "reading the result");
}

static int tiles(app_case *base)
{
    quad_case *c = (quad_case *)base;
    uint64_t n_halved = 0;
    c->on_device->integral = integrate(&c->params, 0, 0, &n_halved);
    c->on_device->n_taken = (uint32_t)n_halved;
    return 0;
}

static void answer(app_case *base, const app_sink *s)
{
    const quad_case *c = (const quad_case *)base;
    s->f64(s->self, "integral", c->found.integral);
    s->f64(s->self, "error", c->found.integral - known_integral(c->params.f));
    s->u64(s->self, "intervals_total", 2 * (uint64_t)c->found.n_taken + 1);
}

static const app_option options[] = {
    {"f", "root", "root (vertical tangent), pole, kink, step or peak"},
    {"eps", "1e-9", "error that is allowed"},
    {"points", "32", "parts of an interval for its sum; a multiple of 4"},
    {"cutoff", "48", "intervals of 2^-cutoff are not halved"},
    {NULL, NULL, NULL},
};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app app_quad = {
    .name = "quad",
    .summary = "adaptive quadrature of singular functions: fork and join",
    .formats = "none",
    .options = options,
    .table = &quad,
    .scenarios = scenarios,
    .n = {256, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
