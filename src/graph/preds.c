/* SPDX-License-Identifier: MIT */
/* preds.c - the predecessors of each task of a frozen graph; the blob has successors only. */
#include "graph/graph.h"

void hd_preds_clear(hd_preds *p)
{
    hd_delete(p->at, p->n_at * sizeof *p->at);
    hd_delete(p->from, p->n_from * sizeof *p->from);
    p->at = NULL;
    p->from = NULL;
}

int hd_preds_of(hd_preds *p, const hd_graph *g)
{
    uint32_t t, i;
    p->n_at = g->n_tasks + 2;
    p->n_from = g->n_edges;
    p->at = hd_new(p->n_at * sizeof *p->at);
    p->from = hd_new(p->n_from * sizeof *p->from);
    if (!p->at || !p->from) {
        hd_preds_clear(p);
        return -1;
    }
    for (t = 0; t < g->n_tasks; t++)
        p->at[t + 2] = p->at[t + 1] + hd_graph_task(g, t)->n_in;
    for (t = 0; t < g->n_tasks; t++)
        for (i = 0; i < hd_graph_task(g, t)->n_succ; i++)
            p->from[p->at[hd_graph_edge(g, hd_graph_task(g, t), i).task + 1]++] = t;
    return 0;
}
