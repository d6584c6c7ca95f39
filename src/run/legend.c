/* SPDX-License-Identifier: MIT */
/* legend.c - the legend of a graph's run: kinds are the bodies of its table, items its tasks. Parts of a wave have no edges:
 * what they wait for is inside of them. */
#include "graph/dump.h"
#include "heddle/core/notes.h"
#include "run/report.h"

static uint32_t kind_of(const void *self, const hd_event *ev)
{
    return hd_event_is_spawned(ev) ? ev->task & ~HD_SPAWNED : hd_graph_task(self, hd_event_task(ev))->body;
}

static void stretch_of(const void *self, const hd_event *ev, hd_stretch *out)
{
    const hd_graph *g = self;
    const hd_part_span part = g->bands.span_of(hd_graph_args(g, hd_graph_task(g, hd_event_task(ev))));
    const uint32_t n_units = (part.cols - 1u) / part.unit + 1u;
    const uint64_t end = ev->dep + (uint64_t)hd_stretch_of(n_units) * part.unit;
    out->item = part.item % g->bands.n_fields;
    out->pass = part.item / g->bands.n_fields;
    out->band = part.band + ev->queue;
    out->first = ev->dep;
    out->last = (end < part.cols ? end : part.cols) - 1u;
}

static const char *kind_name(const void *self, uint32_t kind)
{
    return hd_body_name(((const hd_graph *)self)->table, kind);
}

static uint32_t *sorted(const void *self)
{
    const hd_graph *g = self;
    uint32_t *order = hd_new(g->n_tasks * sizeof *order), *left = hd_new(g->n_tasks * sizeof *left);
    if (order && left) {
        (void)hd_graph_order(g, order, left);
    } else {
        hd_delete(order, g->n_tasks * sizeof *order);
        order = NULL;
    }
    hd_delete(left, g->n_tasks * sizeof *left);
    return order;
}

static uint32_t n_after(const void *self, uint32_t task) { return hd_graph_task(self, task)->n_succ; }

static uint32_t after(const void *self, uint32_t task, uint32_t i)
{
    return hd_graph_edge(self, hd_graph_task(self, task), i).task;
}

static int is_point(const void *self, uint32_t task) { return hd_graph_task(self, task)->body == HD_BODY_JOIN; }

void hd_graph_legend(hd_legend *out, const hd_graph *g)
{
    *out = (hd_legend){.self = g,
                       .title = g->table->name,
                       .row = g->bands.n_lanes > 1 ? "warp" : "worker",
                       .n_lanes = g->bands.n_lanes,
                       .stretch_of = stretch_of,
                       .n_kinds = g->table->n_bodies,
                       .kind_of = kind_of,
                       .kind_name = kind_name,
                       .n_items = g->in_order ? 0 : g->n_tasks,
                       .n_edges = g->n_edges,
                       .sorted = sorted,
                       .n_after = n_after,
                       .after = after,
                       .is_point = is_point};
}
