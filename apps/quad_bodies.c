/* SPDX-License-Identifier: MIT */
/* quad_bodies.c - one interval of an adaptive quadrature. If it must be halved, a task for each half is spawned, and this one
 * goes on, when both have ended, as the task that adds them. */
#include "quad_bodies.h"

/* All lanes: the sums over an interval. */
HEDDLE_FN quad_sums quad_add(const heddle_lane *lane, const quad_app *app, double begin, double step)
{
    double *coarse = (double *)heddle_shared(lane);
    quad_sums s;
    HEDDLE_EACH_VLANE (v) {
        const quad_sums partial = quad_partial(app, begin, step, (uint32_t)v);
        heddle_partial_f64(lane)[v] = partial.fine;
        coarse[v] = partial.coarse;
    }
    s.fine = heddle_reduce_f64(lane, HEDDLE_SUM);
    HEDDLE_EACH_VLANE (v)
        heddle_partial_f64(lane)[v] = coarse[v];
    s.coarse = heddle_reduce_f64(lane, HEDDLE_SUM);
    return s;
}

/* One lane. */
HEDDLE_FN void quad_halve(const heddle_lane *lane, const quad_app *app, const quad_interval *t)
{
    const uint32_t k = HEDDLE_ATOMIC_ADD(app->n_taken, 1u, RELAXED, DEV);
    quad_interval half;
    quad_sum_args sum;
    if (k >= app->n_halves) {
        heddle_fail(lane, QUAD_FAILED);
        return;
    }
    sum.to = t->to;
    sum.from = &app->halves[k];
    heddle_continue(lane, quad_sum, &sum, sizeof sum);
    half.depth = t->depth + 1u;
    half.at = 2u * t->at;
    half.to = &app->halves[k].left;
    heddle_spawn(lane, quad_part, &half, sizeof half, NULL, 0, 0);
    half.at++;
    half.to = &app->halves[k].right;
    heddle_spawn(lane, quad_part, &half, sizeof half, NULL, 0, 0);
}

HEDDLE_SPAWNER(quad_part, quad_app, app, quad_interval, t, 2)
{
    const double width = quad_width(t->depth);
    double integral = 0;
    int fits = 0;
    if (t->depth >= app->min_depth)
        integral = quad_integral(app, t->depth,
                                 quad_add(lane, app, (double)t->at * width, width / (double)app->n_points), &fits);
    if (lane->index != 0)
        return;
    if (fits)
        *t->to = integral;
    else
        quad_halve(lane, app, t);
}

HEDDLE_BODY(quad_sum, quad_app, app, quad_sum_args, t)
{
    if (lane->index == 0)
        *t->to = t->from->left + t->from->right;
}

HEDDLE_APP(quad, quad_app, QUAD_BODIES)
