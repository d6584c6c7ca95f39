/* SPDX-License-Identifier: MIT */
/* quad_bodies.c - one interval of an adaptive quadrature. To halve it, the task spawns a task for each half; its
 * continuation, the task that adds them, runs when both have ended. */
#include "quad_bodies.h"

/* All threads: the sums over an interval. */
HEDDLE_FN quad_sums quad_add(const heddle_thread *thread, const quad_params *params, double begin, double step)
{
    double *coarse = (double *)heddle_team_shared(thread);
    quad_sums s;
    HEDDLE_EACH_PARTIAL (v) {
        const quad_sums partial = quad_partial(params, begin, step, (uint32_t)v);
        heddle_team_partial_f64(thread)[v] = partial.fine;
        coarse[v] = partial.coarse;
    }
    s.fine = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    HEDDLE_EACH_PARTIAL (v)
        heddle_team_partial_f64(thread)[v] = coarse[v];
    s.coarse = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    return s;
}

/* One thread. */
HEDDLE_FN void quad_halve(const heddle_thread *thread, const quad_params *params, const quad_interval *t)
{
    const uint32_t k = HEDDLE_ATOMIC_ADD(params->n_taken, 1u, RELAXED, DEV);
    quad_interval half;
    quad_sum_args sum;
    if (k >= params->n_halves) {
        heddle_task_fail(thread, QUAD_FAILED);
        return;
    }
    sum.to = t->to;
    sum.from = &params->halves[k];
    heddle_task_continue(thread, quad_sum, &sum, sizeof sum);
    half.depth = t->depth + 1u;
    half.at = 2u * t->at;
    half.to = &params->halves[k].left;
    heddle_task_spawn(thread, quad_part, &half, sizeof half, NULL, 0, 0);
    half.at++;
    half.to = &params->halves[k].right;
    heddle_task_spawn(thread, quad_part, &half, sizeof half, NULL, 0, 0);
}

HEDDLE_SPAWNER(quad_part, quad_params, params, quad_interval, t, 2)
{
    const double width = quad_width(t->depth);
    double integral = 0;
    int fits = 0;
    if (t->depth >= params->min_depth)
        integral = quad_integral(
            params, t->depth, quad_add(thread, params, (double)t->at * width, width / (double)params->n_points), &fits);
    if (thread->index != 0)
        return;
    if (fits)
        *t->to = integral;
    else
        quad_halve(thread, params, t);
}

HEDDLE_BODY(quad_sum, quad_params, params, quad_sum_args, t)
{
    if (thread->index == 0)
        *t->to = t->from->left + t->from->right;
}

HEDDLE_TABLE(quad, quad_params, QUAD_BODIES)
