/* SPDX-License-Identifier: MIT */
/* range.c - the last writer of each range, and its readers since.
 *
 * Each distinct range is an area, found by its hash. An area keeps its last writer, the readers since, and whether
 * overlapping areas were accessed:
 *
 *     current   no other area that overlaps it was written since its last access: a reader waits for the same tasks as the
 *               last reader did
 *     alone     no other area that overlaps it was accessed since it was written, or ever: a writer waits for its readers, or
 *               else for its writer
 *
 * A range that is named again exactly, as tiles are, thus costs a hash look-up. All other accesses search a structure of what
 * *still counts*: for each area, the boxes that no task has written over since.
 *
 *     read      waits for the writers of the boxes it meets, and inserts the area's box. It skips boxes of areas that are not
 *               alone and have no writer, so two reads meet only once
 *     write     waits for all boxes it meets and cuts them to what lies outside of it, then inserts the area's box
 *
 * An area with nothing left is forgotten: a task that meets it also meets a task that has waited for it. A box may be larger
 * than what truly counts: that adds an edge between tasks that are already ordered, and loses none. A cut that would make
 * many small boxes is therefore not made.
 *
 * Boxes. Areas are rectangles: row = address / stride, column = address % stride, in the plane of their stride. A contiguous
 * range is a rectangle of one row in the plane of an endless stride. Each plane has an R-tree (rtree.c), and an access walks
 * all planes that reach over its bytes. Blocks of one stride are compared exactly. A contiguous range is at most three boxes
 * (head, full rows, tail) in any plane. A block of another stride is searched as one contiguous piece; that is safe but not
 * exact, so it cuts nothing there.
 *
 * There are no boxes while no two ranges overlap and all have one stride and about one size, as in blocked programs. Cells
 * detect this: the plane is divided into rectangles of the first range's size, in powers of two. An area is listed in the
 * cells that it touches, at most two each way. The first range that overlaps another one, touches more cells, or has another
 * stride ends this and gives boxes to all areas.
 *
 * A tracker's memory is freed as a whole. Areas are never removed; boxes and list nodes are reused. */
#include "graph/range_inside.h"

#define FEW_FRESH 8u

/* ---- ranges as they are looked up ------------------------------------------------------------------------------ */

static inline hd_span span_of(const heddle_range *r)
{
    return hd_span_of((uint64_t)(uintptr_t)r->base, r->row_bytes, r->n_rows, r->stride_bytes);
}

/* The salt is what tiles of one matrix share: shape, and offset in their granule. It separates ranges of one start or one
 * size. */
static inline hd_span key_of(const heddle_range *r)
{
    hd_span k = span_of(r);
    uint8_t bits = bits_of(k.row_bytes);
    uint64_t index = k.base >> bits, within = k.base - (index << bits);
    uint64_t salt = k.row_bytes ^ (uint64_t)k.n_rows << 8 ^ within << 20 ^ k.stride << 32;
    k.key = hash_near(index) + (uint32_t)mix(salt);
    return k;
}

static area area_of(const hd_span *k, uint32_t plane)
{
    area a = {*k, HD_NONE, HD_NONE, 0, HD_NONE, 0, plane, HD_NONE, 0, 0, 0, 0};
    return a;
}

int hd_range_overlap(const heddle_range *a, const heddle_range *b)
{
    hd_span x = span_of(a), y = span_of(b);
    return hd_spans_overlap(&x, &y);
}

heddle_status hd_range_check_slowly(const heddle_range *r, hd_error *e)
{
    unsigned long long rows = r->n_rows > 1 ? r->n_rows : 1;
    if (r->mode != HEDDLE_MODE_IN && r->mode != HEDDLE_MODE_OUT && r->mode != HEDDLE_MODE_INOUT)
        return hd_say(e, HEDDLE_EINVAL, "a range's mode is %d, not in, out or inout", (int)r->mode);
    switch (hd_span_fault((uint64_t)(uintptr_t)r->base, r->row_bytes, r->n_rows, r->stride_bytes)) {
    case 0: return HEDDLE_OK;
    case HD_SPAN_EMPTY: return hd_say(e, HEDDLE_ERANGE, "a range of 0 bytes");
    case HD_SPAN_ROWS: return hd_say(e, HEDDLE_ERANGE, "a range of %llu rows; the limit is 4294967295", rows);
    case HD_SPAN_STRIDE:
        return hd_say(e, HEDDLE_ERANGE, "a range's stride of %llu bytes is less than its row of %llu",
                      (unsigned long long)r->stride_bytes, (unsigned long long)r->row_bytes);
    default:
        return hd_say(e, HEDDLE_ERANGE, "a range of %llu rows of %llu bytes reaches past the address space", rows,
                      (unsigned long long)r->row_bytes);
    }
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static inline int same(const hd_span *a, const hd_span *k)
{
    return a->key == k->key && a->base == k->base && a->row_bytes == k->row_bytes && a->n_rows == k->n_rows &&
           a->stride == k->stride;
}

static void put_range(hd_ranges *r, uint32_t a)
{
    uint32_t *chain = chain_of(&r->by_range, AREA(r, a)->span.key);
    AREA(r, a)->next = *chain;
    *chain = a;
}

static int grow_ranges(hd_ranges *r)
{
    int wider = widen(&r->by_range, r->areas.n);
    uint64_t i;
    for (i = 0; wider == 1 && i < r->areas.n; i++)
        put_range(r, (uint32_t)i);
    return wider < 0 ? -1 : 0;
}

/* ---- chains ---------------------------------------------------------------------------------------------------- */

static inline int chain_put(hd_ranges *r, uint32_t *chain, uint32_t value)
{
    uint32_t i = r->free_nodes;
    if (i != HD_NONE) {
        r->free_nodes = NODE(r, i)->next;
    } else {
        if (hd_list_room(&r->nodes, 1, sizeof(node)))
            return -1;
        i = (uint32_t)r->nodes.n++;
    }
    *NODE(r, i) = (node){value, *chain};
    *chain = i;
    return 0;
}

static inline void chain_free(hd_ranges *r, uint32_t *chain)
{
    uint32_t last = *chain;
    if (last == HD_NONE)
        return;
    while (NODE(r, last)->next != HD_NONE)
        last = NODE(r, last)->next;
    NODE(r, last)->next = r->free_nodes;
    r->free_nodes = *chain;
    *chain = HD_NONE;
}

static int list_put_chain(const hd_ranges *r, hd_list *l, uint32_t chain)
{
    for (; chain != HD_NONE; chain = NODE(r, chain)->next)
        if (list_put(l, NODE(r, chain)->value))
            return -1;
    return 0;
}

static inline void forget_readers(hd_ranges *r, area *a)
{
    chain_free(r, &a->readers);
    a->n_readers = 0;
}

/* ---- finding areas --------------------------------------------------------------------------------------------- */

/* Adds the area of a range seen for the first time. */
static __attribute__((noinline)) uint32_t new_area(hd_ranges *r, const hd_span *k)
{
    uint32_t a = (uint32_t)r->areas.n, p = LINES;
    int in_cells = hd_ranges_put_in_cells(r, a, k);
    if (in_cells < 0 || (!in_cells && (p = hd_ranges_plane_of(r, k->stride)) == HD_NONE) || grow_ranges(r) ||
        hd_list_room(&r->areas, 1, sizeof(area)))
        return HD_NONE;
    *AREA(r, a) = area_of(k, p);
    AREA(r, a)->current = AREA(r, a)->alone = in_cells != 0;
    put_range(r, a);
    r->areas.n++;
    return a;
}

static inline uint32_t find(hd_ranges *r, const heddle_range *range)
{
    hd_span k = key_of(range);
    uint32_t a = *chain_of(&r->by_range, k.key);
    while (a != HD_NONE && !same(&AREA(r, a)->span, &k))
        a = AREA(r, a)->next;
    return a != HD_NONE ? a : new_area(r, &k);
}

/* ---- gathering ------------------------------------------------------------------------------------------------- */

/* Replaces before[first..] by one join after them. */
static uint32_t join_from(hd_list *before, uint64_t first, const hd_joiner *j)
{
    uint32_t join = j->join(j->self, (uint32_t *)before->at + first, before->n - first);
    if (join != HD_NONE) {
        before->n = first;
        ITEM(before, before->n++) = join;
    }
    return join;
}

/* A write leaves a part of an area with many readers. Writers of other parts would each wait for all of them, so a join
 * replaces the readers. */
static int join_readers(hd_ranges *r, area *a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n;
    uint32_t join;
    if (list_put_chain(r, before, a->readers))
        return -1;
    join = join_from(before, first, j);
    forget_readers(r, a);
    a->n_readers = 1;
    return join == HD_NONE ? -1 : chain_put(r, &a->readers, join);
}

/* Is a task of before[first..] newer than `writer`? Such a task accessed an area that overlaps the writer's, so it waits for
 * the writer. */
static int has_newer(const hd_list *before, uint64_t first, uint32_t writer)
{
    for (; first < before->n; first++)
        if (ITEM(before, first) > writer)
            return 1;
    return 0;
}

/* Appends the readers of a since its last write, or else its writer. */
static int put_accesses(hd_ranges *r, const area *a, hd_list *before)
{
    if (a->n_readers)
        return list_put_chain(r, before, a->readers);
    return a->writer == HD_NONE ? 0 : list_put(before, a->writer);
}

/* A write met a box of another area: gathers that area's readers since its last write (they follow the writer), or its
 * writer. */
static int gather_hit(hd_ranges *r, area *o, hd_list *before, const hd_joiner *j)
{
    if (o->n_readers > HD_JOIN_MIN && o->n_boxes ? join_readers(r, o, before, j) : put_accesses(r, o, before))
        return -1;
    o->current = o->alone = 0;
    chain_free(r, &o->after);
    if (o->n_boxes)
        return 0;
    o->writer = HD_NONE;
    forget_readers(r, o);
    return 0;
}

static __attribute__((noinline)) int gather_hits(hd_ranges *r, uint32_t a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n, i;
    area *own = AREA(r, a);
    int met = 0;
    if (hd_ranges_visit(r, a, hd_ranges_met_by_write, 0))
        return -1;
    for (i = 0; i < r->hits.n; i++)
        if (ITEM(&r->hits, i) == a)
            met = 1;
        else if (gather_hit(r, AREA(r, ITEM(&r->hits, i)), before, j))
            return -1;
    if (!met || (!own->n_readers && (own->writer == HD_NONE || has_newer(before, first, own->writer))))
        return 0;
    return put_accesses(r, own, before);
}

/* Gathers the writers a reader waits for, from other areas too, and keeps them for the next reader. Many go through a
 * join. */
static __attribute__((noinline)) int gather_writers(hd_ranges *r, uint32_t a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n, i;
    AREA(r, a)->alone = 1;
    if (hd_ranges_visit(r, a, hd_ranges_met_by_read, 0))
        return -1;
    for (i = 0; i < r->hits.n; i++)
        if (list_put(before, AREA(r, ITEM(&r->hits, i))->writer))
            return -1;
    if (before->n - first > HD_JOIN_MIN && join_from(before, first, j) == HD_NONE)
        return -1;
    chain_free(r, &AREA(r, a)->after);
    for (i = first; i < before->n; i++)
        if (chain_put(r, &AREA(r, a)->after, ITEM(before, i)))
            return -1;
    return 0;
}

static inline int gather_write(hd_ranges *r, uint32_t a, hd_list *before, const hd_joiner *j)
{
    return AREA(r, a)->alone ? put_accesses(r, AREA(r, a), before) : gather_hits(r, a, before, j);
}

static inline int gather_read(hd_ranges *r, uint32_t a, hd_list *before, const hd_joiner *j)
{
    const area *x = AREA(r, a);
    if (!x->current)
        return gather_writers(r, a, before, j);
    return x->own ? list_put(before, x->writer) : list_put_chain(r, before, x->after);
}

int hd_ranges_gather(hd_ranges *r, const heddle_range *ranges, uint64_t n, uint32_t *areas, hd_list *before,
                     const hd_joiner *joiner)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        uint32_t a = areas[i] = find(r, &ranges[i]);
        int write = ranges[i].mode & HEDDLE_MODE_OUT;
        if (a == HD_NONE || (write ? gather_write(r, a, before, joiner) : gather_read(r, a, before, joiner)))
            return -1;
    }
    return 0;
}

/* ---- noting ---------------------------------------------------------------------------------------------------- */

/* First write of an area that was not alone and current. */
static __attribute__((noinline)) int note_first_write(hd_ranges *r, uint32_t a)
{
    area *x = AREA(r, a);
    x->current = x->alone = 1;
    chain_free(r, &x->after);
    return hd_ranges_renew_boxes(r, a) || list_put(&r->fresh, a) ? -1 : 0;
}

static inline int note_write(hd_ranges *r, uint32_t a, uint32_t task)
{
    area *x = AREA(r, a);
    x->writer = task;
    x->own = 1;
    forget_readers(r, x);
    return x->alone && x->current ? 0 : note_first_write(r, a);
}

/* First read of an area since an overlapping write, or ever. */
static __attribute__((noinline)) int note_first_read(hd_ranges *r, uint32_t a)
{
    AREA(r, a)->current = 1;
    AREA(r, a)->own = 0;
    return hd_ranges_renew_boxes(r, a) || list_put(&r->fresh, a) ? -1 : 0;
}

static inline int note_read(hd_ranges *r, uint32_t a, uint32_t task)
{
    area *x = AREA(r, a);
    if (!x->current && note_first_read(r, a))
        return -1;
    if (x->readers != HD_NONE && NODE(r, x->readers)->value == task)
        return 0;
    x->n_readers++;
    return chain_put(r, &x->readers, task);
}

/* One task accessed two overlapping areas, and is the last task of both. */
static inline void part(hd_ranges *r, uint32_t a, uint32_t b, int written)
{
    AREA(r, a)->alone = AREA(r, b)->alone = 0;
    if (written)
        AREA(r, a)->current = AREA(r, b)->current = 0;
}

static int met_by_fresh(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
{
    visit *v = (visit *)w;
    (void)box;
    (void)rest;
    if (id != v->a)
        part(v->r, v->a, id, !w->marked_only);
    return HD_BOX_KEPT;
}

/* Of a task's areas with new boxes, two that overlap must not count as accessed last. A few are compared pairwise; many are
 * searched. */
static __attribute__((noinline)) int part_fresh(hd_ranges *r, uint32_t task)
{
    uint64_t i, k, n = r->fresh.n;
    for (i = 0; i < n && n > FEW_FRESH; i++) {
        uint32_t a = ITEM(&r->fresh, i);
        if (hd_ranges_visit(r, a, met_by_fresh, AREA(r, a)->writer != task))
            return -1;
    }
    for (i = 0; i < n && n <= FEW_FRESH; i++)
        for (k = 0; k < i; k++) {
            uint32_t a = ITEM(&r->fresh, i), b = ITEM(&r->fresh, k);
            if (a != b && hd_spans_overlap(&AREA(r, a)->span, &AREA(r, b)->span))
                part(r, a, b, AREA(r, a)->writer == task || AREA(r, b)->writer == task);
        }
    return 0;
}

int hd_ranges_note(hd_ranges *r, const heddle_range *ranges, uint64_t n, const uint32_t *areas, uint32_t task)
{
    uint64_t i;
    r->fresh.n = 0;
    for (i = 0; i < n; i++)
        if (ranges[i].mode & HEDDLE_MODE_OUT ? note_write(r, areas[i], task) : note_read(r, areas[i], task))
            return -1;
    return r->fresh.n > 1 ? part_fresh(r, task) : 0;
}

/* ---- the tracker ----------------------------------------------------------------------------------------------- */

hd_ranges *hd_ranges_new(void)
{
    hd_ranges *r = hd_new(sizeof *r);
    if (!r)
        return NULL;
    hd_rtree_init(&r->boxes);
    r->free_nodes = r->strides = r->stretches = HD_NONE;
    if (table_new(&r->by_range, 256) || hd_list_room(&r->planes, 1, sizeof(plane))) {
        hd_ranges_free(r);
        return NULL;
    }
    *PLANE(r, LINES) = (plane){HD_LINE_STRIDE, 1, 0, HD_NONE, 0};
    r->planes.n = 1;
    return r;
}

void hd_ranges_free(hd_ranges *r)
{
    if (!r)
        return;
    hd_list_clear(&r->areas);
    hd_list_clear(&r->nodes);
    hd_list_clear(&r->planes);
    hd_list_clear(&r->by_range);
    hd_list_clear(&r->hits);
    hd_list_clear(&r->reached);
    hd_list_clear(&r->fresh);
    hd_rtree_clear(&r->boxes);
    hd_ranges_drop_cells(r);
    hd_delete(r, sizeof *r);
}

uint64_t hd_ranges_bytes(const hd_ranges *r)
{
    return sizeof *r + r->areas.n_bytes + r->nodes.n_bytes + r->planes.n_bytes + r->by_range.n_bytes + r->hits.n_bytes +
           r->reached.n_bytes + r->fresh.n_bytes + r->boxes.nodes.n_bytes + r->boxes.homeless.n_bytes +
           r->cells.heads.n_bytes + r->cells.spots.n_bytes;
}

uint64_t hd_ranges_looks(const hd_ranges *r) { return r->boxes.n_looks; }
