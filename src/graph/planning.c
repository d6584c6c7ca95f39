/* SPDX-License-Identifier: MIT */
/* planning.c - a graph's plan: given, or made when needed. The inputs of planning (measured costs, the usual cost of an edge)
 * are chosen only here. */
#include "graph/plan.h"

heddle_status hd_graph_plan(hd_plan *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style, hd_error *e)
{
    return hd_plan_make(out, g, n_workers, style, g->cost_ns, HD_PLAN_HOP_NS, e);
}

heddle_status hd_graph_steps(hd_steps *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style, hd_error *e)
{
    hd_plan made;
    heddle_status s;
    if (g->plan && g->plan->n_workers != n_workers)
        return hd_say(e, HEDDLE_EINVAL, "the graph's plan is for %u workers, the context has %u", g->plan->n_workers,
                      n_workers);
    if (g->plan)
        return hd_steps_make(out, g->plan, g, e);
    HD_TRY(hd_graph_plan(&made, g, n_workers, style, e));
    s = hd_steps_make(out, &made, g, e);
    hd_plan_clear(&made);
    return s;
}

heddle_status hd_graph_take_plan(hd_graph *g, hd_plan *p, hd_error *e)
{
    hd_plan *plan = g->plan ? g->plan : hd_new(sizeof *plan);
    if (!plan) {
        hd_plan_clear(p);
        return hd_say(e, HEDDLE_ENOMEM, "a plan for a graph: out of memory");
    }
    hd_plan_clear(plan);
    *plan = *p;
    g->plan = plan;
    return HEDDLE_OK;
}

void hd_graph_drop_plan(hd_graph *g)
{
    if (g->plan)
        hd_plan_clear(g->plan);
    hd_delete(g->plan, sizeof *g->plan);
    hd_delete(g->cost_ns, g->n_tasks * sizeof *g->cost_ns);
    g->plan = NULL;
    g->cost_ns = NULL;
}
