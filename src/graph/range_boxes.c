/* SPDX-License-Identifier: MIT */
/* range_boxes.c - the boxes of areas in the planes of strides: which an access meets, and what a write leaves of them (range.c). */
#include "graph/range_inside.h"

#define BOXES_AN_AREA 2u /* on average; beyond it a cut may leave only one box */
#define N_BOXES_MAX 0x1fffffffu

/* ---- planes ---------------------------------------------------------------------------------------------------- */

static int met_plane(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
{
    hd_ranges *r = ((visit *)w)->r;
    (void)box;
    (void)rest;
    if (PLANE(r, id)->seen == r->query)
        return HD_BOX_KEPT;
    PLANE(r, id)->seen = r->query;
    ITEM(&r->reached, r->reached.n) = id;
    r->reached.n++;
    return HD_BOX_KEPT;
}

/* Lists in r->reached the planes that have a box below `root` which meets [row, row] x [first, last]. */
static int reach(hd_ranges *r, uint32_t *root, uint64_t row, uint64_t first, uint64_t last)
{
    visit v = {{{row, first, row, last}, 0, NULL, met_plane}, r, HD_NONE, HD_NONE, 0, 0};
    r->reached.n = 0;
    r->query++;
    return hd_list_room(&r->reached, r->planes.n, 4) || hd_rtree_walk(&r->boxes, root, &v.walk) ? -1 : 0;
}

static uint32_t new_plane(hd_ranges *r, uint64_t stride)
{
    const hd_box point = {stride, 0, stride, 0};
    uint32_t p = (uint32_t)r->planes.n;
    if (hd_list_room(&r->planes, 1, sizeof(plane)) || hd_rtree_put(&r->boxes, &r->strides, &point, p))
        return HD_NONE;
    *PLANE(r, p) = (plane){stride, 1, 0, HD_NONE, 0};
    r->planes.n++;
    return p;
}

/* The plane of lines exists from the start. */
uint32_t hd_ranges_plane_of(hd_ranges *r, uint64_t stride)
{
    if (stride == HD_LINE_STRIDE)
        return LINES;
    if (PLANE(r, r->last_plane)->stride == stride)
        return r->last_plane;
    if (reach(r, &r->strides, stride, 0, 0))
        return HD_NONE;
    return r->last_plane = r->reached.n ? ITEM(&r->reached, 0) : new_plane(r, stride);
}

static int add_stretch(hd_ranges *r, uint32_t p, uint64_t first, uint64_t last)
{
    const hd_box row = {0, first, 0, last};
    return hd_rtree_put(&r->boxes, &r->stretches, &row, p);
}

/* Extends plane p to cover [first, last]. It grows by at least its own length, so that filling a plane along its rows does
 * not extend it at every area. */
static int reach_over(hd_ranges *r, uint32_t p, uint64_t first, uint64_t last)
{
    plane *x = PLANE(r, p);
    uint64_t old_first = x->first, old_last = x->last, length = old_last - old_first, more;
    if (old_first > old_last) {
        x->first = first;
        x->last = last;
        return add_stretch(r, p, first, last);
    }
    if (first < old_first) {
        more = length < old_first ? old_first - length : 0;
        x->first = first < more ? first : more;
        if (add_stretch(r, p, x->first, old_first - 1))
            return -1;
    }
    if (last > old_last) {
        more = length < UINT64_MAX - old_last ? old_last + length : UINT64_MAX;
        x->last = last > more ? last : more;
        return add_stretch(r, p, old_last + 1, x->last);
    }
    return 0;
}

/* ---- boxes of areas -------------------------------------------------------------------------------------------- */

/* The boxes of an area in a plane. `other`: a block of another stride, searched in the rows that its bytes span. */
static int boxes_in(const hd_span *s, uint64_t stride, int other, hd_box out[3])
{
    hd_rect q[3];
    int i, n;
    if (other) {
        uint64_t row = s->base / stride, row_end = hd_span_last(s) / stride;
        out[0] = (hd_box){row, 0, row_end, stride - 1};
        return 1;
    }
    n = hd_span_rects(s, stride, q);
    for (i = 0; i < n; i++)
        out[i] = (hd_box){q[i].row, q[i].col, q[i].row + q[i].n_rows - 1, q[i].col + q[i].n_cols - 1};
    return n;
}

int hd_ranges_put_boxes(hd_ranges *r, uint32_t a)
{
    const hd_span *s = &AREA(r, a)->span;
    uint32_t p = AREA(r, a)->plane, mark = AREA(r, a)->alone || AREA(r, a)->writer != HD_NONE ? HD_BOX_MARKED : 0;
    hd_box q[3];
    int i, n = boxes_in(s, PLANE(r, p)->stride, 0, q);
    if (reach_over(r, p, s->base, hd_span_last(s)))
        return -1;
    for (i = 0; i < n; i++)
        if (hd_rtree_put(&r->boxes, &PLANE(r, p)->root, &q[i], a | mark))
            return -1;
    AREA(r, a)->n_boxes = (uint32_t)n;
    return 0;
}

/* A box of plane LINES that is one line. */
static hd_span line_of(const hd_box *b)
{
    return hd_span_of(b->row * HD_LINE_STRIDE + b->col, b->col_end - b->col + 1, 1, 0);
}

/* Query of plane LINES by a block: of the lines between its first and last byte, those that it meets. */
static int block_meets(const hd_walk *w, const hd_box *bounds)
{
    const visit *v = (const visit *)w;
    const hd_span line = line_of(bounds);
    return bounds->row != bounds->row_end || hd_spans_overlap(&AREA(v->r, v->a)->span, &line);
}

/* Query of another stride's plane by a block: boxes that meet the stretch from its first to its last byte. Compares rows,
 * then columns, because the last address of bounds may not exist. */
static int stretch_meets(const hd_walk *w, const hd_box *bounds)
{
    const visit *v = (const visit *)w;
    const hd_span *s = &AREA(v->r, v->a)->span;
    uint64_t stride = PLANE(v->r, v->at)->stride, col = s->base - w->q.row * stride;
    uint64_t col_end = hd_span_last(s) - w->q.row_end * stride;
    return (bounds->row < w->q.row_end || bounds->col <= col_end) &&
           (bounds->row_end > w->q.row || bounds->col_end >= col);
}

static int visit_plane(visit *v, uint32_t p)
{
    hd_ranges *r = v->r;
    const area *a = AREA(r, v->a);
    int i, n, other;
    hd_box q[3];
    v->at = p;
    v->exact = a->span.n_rows == 1 || p == a->plane;
    other = !v->exact && p != LINES;
    v->walk.may_meet = v->exact ? NULL : other ? stretch_meets : block_meets;
    n = boxes_in(&a->span, PLANE(r, p)->stride, other, q);
    for (i = 0; i < n; i++) {
        v->walk.q = q[i];
        if (hd_rtree_walk(&r->boxes, &PLANE(r, p)->root, &v->walk) || v->failed)
            return -1;
    }
    return 0;
}

int hd_ranges_visit(hd_ranges *r, uint32_t a, met_fn *met, int marked_only)
{
    visit v = {{{0, 0, 0, 0}, marked_only, NULL, met}, r, a, HD_NONE, 0, 0};
    uint64_t i;
    if (reach(r, &r->stretches, 0, AREA(r, a)->span.base, hd_span_last(&AREA(r, a)->span)))
        return -1;
    r->hits.n = 0;
    for (i = 0; i < r->reached.n; i++)
        if (visit_plane(&v, ITEM(&r->reached, i)))
            return -1;
    return 0;
}

/* Lists the area of a met box, once. */
static void list_hit(visit *v, uint32_t id)
{
    hd_ranges *r = v->r;
    if (AREA(r, id)->seen == r->query)
        return;
    AREA(r, id)->seen = r->query;
    v->failed |= list_put(&r->hits, id) != 0;
}

/* A read: neither the area of the box nor the reading area is alone any more. Lists the box's area if it has a writer. After
 * the first box, only marked ones matter. */
int hd_ranges_met_by_read(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
{
    visit *v = (visit *)w;
    (void)box;
    (void)rest;
    w->marked_only = 1;
    AREA(v->r, id)->alone = AREA(v->r, v->a)->alone = 0;
    if (AREA(v->r, id)->writer != HD_NONE)
        list_hit(v, id);
    return HD_BOX_KEPT;
}

/* A line is dropped if it lies wholly in a block; cutting a part of it would take one box per row. */
static int cut_line(const visit *v, const hd_box *box)
{
    const hd_span line = line_of(box);
    return hd_span_covers(&AREA(v->r, v->a)->span, &line) ? 0 : HD_BOX_KEPT;
}

/* A write: cuts a box into several only while there are few boxes per area. */
int hd_ranges_met_by_write(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
{
    visit *v = (visit *)w;
    hd_ranges *r = v->r;
    int n = HD_BOX_KEPT;
    list_hit(v, id);
    if (v->exact)
        n = hd_box_minus(box, &w->q, rest);
    else if (v->at == LINES)
        n = cut_line(v, box);
    if (n == HD_BOX_KEPT || (n > 1 && r->boxes.n_boxes > BOXES_AN_AREA * r->areas.n))
        return HD_BOX_KEPT;
    AREA(r, id)->n_boxes = (AREA(r, id)->n_boxes + (uint32_t)n - 1) & N_BOXES_MAX;
    return n;
}

/* Removes the area's own boxes. */
static int met_by_itself(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
{
    (void)box;
    (void)rest;
    return id == ((visit *)w)->a ? 0 : HD_BOX_KEPT;
}

int hd_ranges_renew_boxes(hd_ranges *r, uint32_t a)
{
    visit v = {{{0, 0, 0, 0}, 0, NULL, met_by_itself}, r, a, HD_NONE, 0, 0};
    if (AREA(r, a)->n_boxes && visit_plane(&v, AREA(r, a)->plane))
        return -1;
    return hd_ranges_put_boxes(r, a);
}
