/* SPDX-License-Identifier: MIT */
/* core/plan.h - dispatch plan: each worker has a list of steps and waits only for tasks of other workers.
 *
 *      for each step of the list:
 *          hd_plan_ready(r, run, step)      1: its predecessors elsewhere have been counted  (one lane, polled)
 *          ... the body ...
 *          hd_plan_release(r, step, mine)   counts its successors elsewhere                  (one warp, a lane an edge)
 *
 * The order of a list stands for the edges between its own tasks. The plan's edges and the order of its lists together
 * have no cycle (src/graph/plan.c checks that), so some worker can always go on.
 *
 * Counters count up over the runs: after run n a counter stands at n * need. */
#ifndef HEDDLE_CORE_PLAN_H
#define HEDDLE_CORE_PLAN_H

#include "heddle/core/stop.h"

/* What a step waits for: a counter to reach a target. */
typedef struct hd_goal {
    uint32_t *count;
    uint32_t target;
} hd_goal;

HD_FN hd_goal hd_goal_of(const hd_run *r, uint32_t run, uint32_t task, uint32_t need)
{
    hd_goal g = {&r->count[task], run * need};
    return g;
}

/* Acquire: makes what was written before the counts visible to this lane. */
HD_FN int hd_goal_reached(hd_goal g) { return (int32_t)(HD_LOAD(g.count, ACQUIRE, DEV) - g.target) >= 0; }

/* The same without an acquire, which would empty the cache of a team that runs a body. After a 1, hd_goal_reached must
 * also return 1 before the body begins. */
HD_FN int hd_goal_seems_reached(hd_goal g) { return (int32_t)(HD_LOAD(g.count, RELAXED, DEV) - g.target) >= 0; }

/* Have the step's predecessors elsewhere been counted? */
HD_FN int hd_plan_ready(const hd_run *r, uint32_t run, const hd_step *s)
{
    return s->need == 0u || hd_goal_reached(hd_goal_of(r, run, s->task, s->need));
}

HD_FN uint32_t hd_step_succ(const hd_run *r, const hd_step *s, uint32_t i)
{
    return i < HD_STEP_SUCC ? s->first[i] : r->step_edges[s->succ + (i - HD_STEP_SUCC)];
}

/* The successor that this scheduling lane counts first, or HD_NONE; known before the body ends. */
HD_FN uint32_t hd_step_mine(const hd_run *r, const hd_step *s)
{
    return hd_warp_lane() < s->n_succ ? hd_step_succ(r, s, hd_warp_lane()) : HD_NONE;
}

/* All scheduling lanes, after the barrier that ends the body; mine: hd_step_mine. */
HD_FN void hd_plan_release(const hd_run *r, const hd_step *s, uint32_t mine)
{
    uint32_t i;
    if (mine != HD_NONE)
        HD_COUNT(&r->count[mine], RELEASE, DEV);
    for (i = hd_warp_lane() + hd_warp_width(); i < s->n_succ; i += hd_warp_width())
        HD_COUNT(&r->count[hd_step_succ(r, s, i)], RELEASE, DEV);
}

HD_FN const void *hd_step_args(const hd_run *r, const hd_step *s)
{
    return s->arg_bytes <= HD_INLINE_ARGS ? (const void *)s->args
                                          : (const void *)(r->args + (uint64_t)s->args_at * 16u);
}

#endif
