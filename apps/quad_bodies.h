/* SPDX-License-Identifier: MIT */
/* quad_bodies.h - adaptive quadrature: integrands, record, list of the bodies.
 *
 * An integrand repeats one behaviour over n teeth of [0, 1]. It uses only operations that IEEE 754 rounds correctly, so
 * its values, and with them the tree of intervals, are the same everywhere.
 *
 * The sum over an interval adds over partials (heddle_team_reduce_f64). A halved interval is the sum of its left and
 * right half, in this order. So the integral is bitwise the same on any machine and in any order of tasks. */
#ifndef QUAD_BODIES_H
#define QUAD_BODIES_H

#include "heddle/task.h"

#if !defined(__CUDACC__)
#include <math.h>
#endif

#define QUAD_FAILED 78u /* code of a run that halves more intervals than the serial one */

enum { QUAD_ROOT, QUAD_POLE, QUAD_KINK, QUAD_STEP, QUAD_PEAK };
#define QUAD_PEAK_WIDTH 1e-3
#define QUAD_PEAK_AT 0.3

/* The integrals of both halves of an interval. */
typedef struct quad_halves {
    double left, right;
} quad_halves;

typedef struct quad_params {
    quad_halves *halves; /* n_halves of them, allocated by *n_taken */
    uint32_t *n_taken;
    double eps; /* error allowed over [0, 1]                                                       */
    uint32_t n_halves, f, n_points;
    uint32_t n_teeth, min_depth, cutoff; /* always halved below min_depth; never from cutoff on */
} quad_params;

/* Interval number `at` of the 2^depth that divide [0, 1]. Its integral goes to *to. */
typedef struct quad_interval {
    double *to;
    uint64_t at;
    uint32_t depth;
} quad_interval;
typedef struct quad_sum_args {
    double *to;
    const quad_halves *from;
} quad_sum_args;

#define QUAD_BODIES(X) X(quad_part, HEDDLE_N_PARTIALS * 8) X(quad_sum, 0) /* argument: quad_interval, quad_sum_args */
HEDDLE_ENUM(quad, QUAD_BODIES)
HEDDLE_DECLARE(quad)

/* One tooth; u is in [0, 1). */
HEDDLE_FN double quad_tooth(uint32_t f, double u)
{
    const double d = u - QUAD_PEAK_AT;
    switch (f) {
    case QUAD_ROOT: return sqrt(u);
    case QUAD_POLE: return u > 0 ? 1 / sqrt(sqrt(u)) : 0;
    case QUAD_KINK: return u < 1.0 / 3 ? 1.0 / 3 - u : u - 1.0 / 3;
    case QUAD_STEP: return u < 1.0 / 3 ? 1 : 0;
    default: return QUAD_PEAK_WIDTH / (QUAD_PEAK_WIDTH * QUAD_PEAK_WIDTH + d * d);
    }
}

HEDDLE_FN double quad_value(const quad_params *params, double x)
{
    const double u = x * params->n_teeth;
    return quad_tooth(params->f, u - floor(u));
}

/* 2^-depth. */
HEDDLE_FN double quad_width(uint32_t depth) { return 1.0 / (double)((uint64_t)1 << depth); }

/* Unscaled Simpson sums with n_points intervals, a multiple of 4, and with half as many. Inner points weigh 4 and 2 in turn. */
typedef struct quad_sums {
    double fine, coarse;
} quad_sums;

HEDDLE_FN quad_sums quad_term(const quad_params *params, double begin, double step, uint32_t i)
{
    const double v = quad_value(params, begin + step * i), edge = i == 0 || i == params->n_points ? 1 : 0;
    quad_sums s;
    s.fine = v * (edge != 0 ? 1 : i % 2u ? 4 : 2);
    s.coarse = i % 2u ? 0 : v * (edge != 0 ? 1 : i % 4u ? 4 : 2);
    return s;
}

/* The sums over the points of partial v. */
HEDDLE_FN quad_sums quad_partial(const quad_params *params, double begin, double step, uint32_t v)
{
    quad_sums s = {0, 0};
    uint32_t i;
    for (i = v; i <= params->n_points; i += HEDDLE_N_PARTIALS) {
        const quad_sums term = quad_term(params, begin, step, i);
        s.fine += term.fine;
        s.coarse += term.coarse;
    }
    return s;
}

/* The integral over an interval from its sums; *fits: it need not be halved. */
HEDDLE_FN double quad_integral(const quad_params *params, uint32_t depth, quad_sums s, int *fits)
{
    const double width = quad_width(depth), step = width / params->n_points;
    const double fine = s.fine * step / 3, coarse = s.coarse * step * 2 / 3;
    const double off = fine < coarse ? coarse - fine : fine - coarse;
    *fits = off <= params->eps * width || depth >= params->cutoff;
    return fine;
}

#endif
