/* SPDX-License-Identifier: MIT */
/* order.c - which slices must be given before which: those of earlier jobs that wrote what a slice reads, or touch what it writes. Ranges are
 * compared by the floor of graphs (graph/range.h). Each array has a place of its own in one space of addresses, where nothing lies: so
 * arrays need no memory to be compared, as in the simulator.
 *
 * Nodes and ranges are forgotten whenever no slice waits, which is often: the order is only among those that do. */
#include "engine/multi/line_inside.h"

/* A slice, or a join: something that is given by itself when all before it have been. A slice that is dropped becomes a join. */
typedef struct node {
    uint32_t n_before, first_edge;
    uint8_t is_given, is_join;
} node;
typedef struct edge {
    uint32_t to, next;
} edge;

static node *node_at(const hd_line_order *o, uint32_t i) { return (node *)o->nodes.at + i; }

static void give(hd_line_order *o, uint32_t number)
{
    uint32_t e;
    node_at(o, number)->is_given = 1;
    o->n_waiting--;
    for (e = node_at(o, number)->first_edge; e != HD_NONE; e = ((edge *)o->edges.at)[e].next) {
        const uint32_t to = ((edge *)o->edges.at)[e].to;
        node *x = node_at(o, to);
        if (!--x->n_before && x->is_join)
            give(o, to);
    }
}

/* A node may be in `before` several times: it counts as often. */
static int add_node(hd_line_order *o, const uint32_t *before, uint64_t n, int is_join, uint32_t *out)
{
    const uint32_t number = (uint32_t)o->nodes.n;
    uint64_t i;
    if (hd_list_room(&o->nodes, 1, sizeof(node)) || hd_list_room(&o->edges, n, sizeof(edge)))
        return -1;
    o->nodes.n++;
    o->n_waiting++;
    *node_at(o, number) = (node){0, HD_NONE, 0, (uint8_t)is_join};
    for (i = 0; i < n; i++) {
        node *b = node_at(o, before[i]);
        if (b->is_given)
            continue;
        ((edge *)o->edges.at)[o->edges.n] = (edge){number, b->first_edge};
        b->first_edge = (uint32_t)o->edges.n++;
        node_at(o, number)->n_before++;
    }
    if (is_join && !node_at(o, number)->n_before)
        give(o, number);
    *out = number;
    return 0;
}

static uint32_t join(void *order, const uint32_t *before, uint64_t n)
{
    uint32_t number;
    return add_node(order, before, n, 1, &number) ? HD_NONE : number;
}

static heddle_range range_of(const hd_segments *s, const hd_seg_use *u)
{
    const uint64_t stride = hd_segments_stride(s, u->array);
    const uintptr_t array = (uintptr_t)(u->array + 1u) << HD_ARRAY_BITS;
    return heddle_range_of((const void *)(array + u->rect.row * stride + u->rect.byte), u->rect.end_byte - u->rect.byte,
                           u->rect.end_row - u->rect.row, stride, u->mode);
}

int hd_line_order_add(hd_line_order *o, const hd_segments *s, hd_line_slice *p, const hd_seg_use *uses, uint32_t n)
{
    const hd_joiner joiner = {o, join};
    heddle_range ranges[HD_SEGMENTS_MOST_USES];
    uint32_t areas[HD_SEGMENTS_MOST_USES], i;
    if (!o->ranges && !(o->ranges = hd_ranges_new()))
        return -1;
    for (i = 0; i < n; i++)
        ranges[i] = range_of(s, &uses[i]);
    o->before.n = 0;
    if (hd_ranges_gather(o->ranges, ranges, n, areas, &o->before, &joiner) ||
        add_node(o, o->before.at, o->before.n, 0, &p->node))
        return -1;
    return hd_ranges_note(o->ranges, ranges, n, areas, p->node);
}

int hd_line_order_is_free(const hd_line_order *o, const hd_line_slice *p)
{
    return p->node == HD_NONE || !node_at(o, p->node)->n_before;
}

void hd_line_order_give(hd_line_order *o, const hd_line_slice *p)
{
    if (p->node == HD_NONE)
        return;
    give(o, p->node);
    if (!o->n_waiting)
        hd_line_order_reset(o);
}

void hd_line_order_drop(hd_line_order *o, const hd_line_slice *p)
{
    if (p->node == HD_NONE)
        return;
    node_at(o, p->node)->is_join = 1;
    if (!node_at(o, p->node)->n_before)
        hd_line_order_give(o, p);
}

void hd_line_order_reset(hd_line_order *o)
{
    hd_ranges_free(o->ranges);
    o->ranges = NULL;
    o->nodes.n = o->edges.n = 0;
    o->n_waiting = 0;
}

void hd_line_order_clear(hd_line_order *o)
{
    hd_line_order_reset(o);
    hd_list_clear(&o->nodes);
    hd_list_clear(&o->edges);
    hd_list_clear(&o->before);
}
