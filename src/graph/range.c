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
#include "graph/range.h"
#include "graph/rtree.h"
#include "heddle/core/rects.h"
#include "heddle/core/task.h" /* HD_NONE */

#include <string.h>

typedef struct area {
    hd_span span;                /* key: the hash */
    uint32_t writer;             /* or HD_NONE */
    uint32_t readers, n_readers; /* node chain, newest first */
    uint32_t after;              /* node chain: writers that a reader waits for, while current and not own */
    uint32_t seen;               /* the last query that met it */
    uint32_t plane;
    uint32_t next;                                          /* in its chain of by_range */
    uint32_t n_boxes : 29, current : 1, alone : 1, own : 1; /* own: a reader waits for `writer` only */
} area;

typedef struct node { /* readers, or writers to wait for */
    uint32_t value, next;
} node;

typedef struct plane {
    uint64_t stride, first, last; /* holds all its areas */
    uint32_t root;                /* of their boxes */
    uint32_t seen;                /* the last query that found it */
} plane;

typedef struct spot { /* an area, listed in one cell */
    uint32_t area, next;
    uint32_t hash; /* of the cell; other cells share its chain */
} spot;

/* Rectangles of 2^row_bits by 2^col_bits. row and col are offsets that make the first area end where its cell ends. */
enum { CELLS_NEW, CELLS_KEPT, CELLS_LEFT };
typedef struct cells {
    uint64_t stride, row, col;
    uint8_t row_bits, col_bits;
    int state;
    hd_list heads, spots; /* uint32_t, a power of two: chains of spots; spot */
} cells;

struct hd_ranges {
    hd_list areas, nodes, planes;
    hd_list by_range;    /* uint32_t, a power of two: chains of areas */
    hd_list hits;        /* scratch, uint32_t: areas that a query met */
    hd_list reached;     /* scratch, uint32_t: planes that a query walks */
    hd_list fresh;       /* scratch, uint32_t: areas to which the noted task gave a box */
    hd_rtree boxes;      /* of all planes, and of the two trees below */
    uint32_t strides;    /* root: planes by stride, as points */
    uint32_t stretches;  /* root: planes by [first, last], as rows */
    uint32_t free_nodes; /* chain */
    uint32_t query;
    uint32_t last_plane; /* the last one found */
    cells cells;
};

#define AREA(r, i) ((area *)(r)->areas.at + (i))
#define NODE(r, i) ((node *)(r)->nodes.at + (i))
#define PLANE(r, i) ((plane *)(r)->planes.at + (i))
#define SPOT(r, i) ((spot *)(r)->cells.spots.at + (i))
#define ITEM(list, i) (((uint32_t *)(list)->at)[i])
#define LINES 0u         /* the plane of contiguous areas */
#define BOXES_AN_AREA 2u /* on average; beyond it a cut may leave only one box */
#define N_BOXES_MAX 0x1fffffffu
#define FEW_FRESH 8u
#define TOUCHED_MAX 12u /* cells: four for each rectangle of an area */
#define CROWD 9u        /* most areas that touch a cell: three by three, each larger than half of it */

/* ---- ranges as they are looked up ------------------------------------------------------------------------------ */

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 32);
}

static inline uint8_t bits_of(uint64_t n) { return n <= 1 ? 0 : (uint8_t)(64 - __builtin_clzll(n - 1)); }

static inline hd_span span_of(const heddle_range *r)
{
    return hd_span_of((uint64_t)(uintptr_t)r->base, r->row_bytes, r->n_rows, r->stride_bytes);
}

/* Neighbours in memory are neighbours in a table: tasks are added along rows, and a table of a million ranges exceeds the
 * cache. Groups of 256 are scattered, so that power-of-two strides do not collide. */
static inline uint32_t hash_near(uint64_t index) { return (uint32_t)(index + mix(index >> 8)); }

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

static int table_new(hd_list *t, uint64_t n)
{
    t->at = hd_new(n * 4);
    if (!t->at)
        return -1;
    memset(t->at, 0xff, n * 4);
    t->n = t->cap = n;
    t->n_bytes = n * 4;
    return 0;
}

static inline uint32_t *chain_of(const hd_list *table, uint32_t hash)
{
    return (uint32_t *)table->at + (hash & (table->n - 1));
}

static void put_range(hd_ranges *r, uint32_t a)
{
    uint32_t *chain = chain_of(&r->by_range, AREA(r, a)->span.key);
    AREA(r, a)->next = *chain;
    *chain = a;
}

/* Keeps chains short: a table has at least as many heads as items, n. Returns 1 if it grew; all chains are then empty. */
static int widen(hd_list *t, uint64_t n)
{
    hd_list old = *t;
    if (n < old.n)
        return 0;
    if (table_new(t, old.n * 4)) {
        *t = old;
        return -1;
    }
    hd_list_clear(&old);
    return 1;
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

static inline int list_put(hd_list *l, uint32_t value)
{
    if (hd_list_room(l, 1, 4))
        return -1;
    ITEM(l, l->n) = value;
    l->n++;
    return 0;
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

/* ---- planes ---------------------------------------------------------------------------------------------------- */

/* A walk over areas, or over planes; it lists each plane's number once. */
typedef struct visit {
    hd_walk walk;
    hd_ranges *r;
    uint32_t a;  /* the querying area */
    uint32_t at; /* the plane being walked */
    int exact;   /* the walk's box holds only bytes of that area */
    int failed;  /* no memory */
} visit;

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

/* The plane of a stride, created if new. The plane of lines exists from the start. */
static uint32_t plane_of(hd_ranges *r, uint64_t stride)
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

/* Inserts all of an area that has no box. */
static int put_boxes(hd_ranges *r, uint32_t a)
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

typedef int met_fn(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4]);

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

/* Calls met for all boxes (or marked ones only) that area a meets. r->hits then has the areas that met listed. */
static int visit_all(hd_ranges *r, uint32_t a, met_fn *met, int marked_only)
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
static int met_by_read(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
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
static int met_by_write(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4])
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

/* Replaces the boxes of area a by all of it. */
static int renew_boxes(hd_ranges *r, uint32_t a)
{
    visit v = {{{0, 0, 0, 0}, 0, NULL, met_by_itself}, r, a, HD_NONE, 0, 0};
    if (AREA(r, a)->n_boxes && visit_plane(&v, AREA(r, a)->plane))
        return -1;
    return put_boxes(r, a);
}

/* ---- finding areas --------------------------------------------------------------------------------------------- */

/* The first area aligns the cells by its end: tiles at a grid's border are often cut at their beginning. */
static int make_cells(hd_ranges *r, const hd_span *k)
{
    cells *c = &r->cells;
    c->state = CELLS_KEPT;
    c->stride = k->stride;
    c->row_bits = bits_of(k->n_rows);
    c->col_bits = bits_of(k->row_bytes);
    c->row = (0 - k->base / k->stride - k->n_rows) & ((1ull << c->row_bits) - 1);
    c->col = (0 - k->base % k->stride - k->row_bytes) & ((1ull << c->col_bits) - 1);
    return table_new(&c->heads, 256);
}

/* Hashes of the cells that a rectangle touches. Returns their number, 0 if more than two each way. */
static uint32_t touch(const cells *c, const hd_rect *q, uint32_t *hash)
{
    uint64_t row = (q->row + c->row) >> c->row_bits, row_end = (q->row + c->row + q->n_rows - 1) >> c->row_bits;
    uint64_t first = (q->col + c->col) >> c->col_bits, col_end = (q->col + c->col + q->n_cols - 1) >> c->col_bits, col;
    uint64_t n_cols = (c->stride >> c->col_bits) + 2;
    uint32_t n = 0;
    if (row_end - row > 1 || col_end - first > 1)
        return 0;
    for (; row <= row_end; row++)
        for (col = first; col <= col_end; col++)
            hash[n++] = hash_near(row * n_cols + col);
    return n;
}

/* 1 if no area in this cell overlaps k; 0 also when the cell has too many areas. */
static int is_free(const hd_ranges *r, const hd_span *k, uint32_t hash)
{
    uint32_t s = *chain_of(&r->cells.heads, hash), n = 0;
    for (; s != HD_NONE; s = SPOT(r, s)->next)
        if (SPOT(r, s)->hash == hash && (++n > CROWD || hd_spans_overlap(&AREA(r, SPOT(r, s)->area)->span, k)))
            return 0;
    return 1;
}

/* The cells that k touches; their number, or 0 if k may not be placed there. */
static uint32_t free_cells(const hd_ranges *r, const hd_span *k, uint32_t hash[TOUCHED_MAX])
{
    hd_rect q[3];
    uint32_t n = 0, from = 0, more;
    int i, n_rects = hd_span_rects(k, k->stride, q);
    for (i = 0; i < n_rects; i++) {
        if ((more = touch(&r->cells, &q[i], hash + n)) == 0)
            return 0;
        for (n += more; from < n; from++)
            if (!is_free(r, k, hash[from]))
                return 0;
    }
    return n;
}

static void put_spot(hd_ranges *r, uint32_t s)
{
    uint32_t *chain = chain_of(&r->cells.heads, SPOT(r, s)->hash);
    SPOT(r, s)->next = *chain;
    *chain = s;
}

static int put_spots(hd_ranges *r, uint32_t a, const uint32_t *hash, uint32_t n)
{
    hd_list *spots = &r->cells.spots;
    int wider = widen(&r->cells.heads, spots->n);
    uint32_t i;
    if (wider < 0 || hd_list_room(spots, n, sizeof(spot)))
        return -1;
    for (i = 0; wider && i < spots->n; i++)
        put_spot(r, i);
    for (i = 0; i < n; i++) {
        *SPOT(r, spots->n) = (spot){a, HD_NONE, hash[i]};
        put_spot(r, (uint32_t)spots->n++);
    }
    return 0;
}

static void drop_cells(hd_ranges *r)
{
    hd_list_clear(&r->cells.heads);
    hd_list_clear(&r->cells.spots);
}

/* Ends the use of cells: gives boxes to all areas that were accessed. */
static int leave_cells(hd_ranges *r)
{
    uint32_t i, p = r->areas.n ? plane_of(r, r->cells.stride) : LINES;
    r->cells.state = CELLS_LEFT;
    drop_cells(r);
    for (i = 0; p != HD_NONE && i < r->areas.n; i++) {
        area *a = AREA(r, i);
        a->plane = p;
        a->alone = a->current = a->writer != HD_NONE || a->readers != HD_NONE;
        if (a->current && put_boxes(r, i))
            return -1;
    }
    return p == HD_NONE ? -1 : 0;
}

/* Puts a new area into cells. 0: it does not fit, and cells are no longer used. */
static int put_in_cells(hd_ranges *r, uint32_t a, const hd_span *k)
{
    uint32_t hash[TOUCHED_MAX], n;
    if (r->cells.state == CELLS_LEFT)
        return 0;
    if (r->cells.state == CELLS_NEW && make_cells(r, k))
        return -1;
    n = k->stride == r->cells.stride ? free_cells(r, k, hash) : 0;
    if (n == 0)
        return leave_cells(r);
    return put_spots(r, a, hash, n) ? -1 : 1;
}

/* Adds the area of a range seen for the first time. */
static __attribute__((noinline)) uint32_t new_area(hd_ranges *r, const hd_span *k)
{
    uint32_t a = (uint32_t)r->areas.n, p = LINES;
    int in_cells = put_in_cells(r, a, k);
    if (in_cells < 0 || (!in_cells && (p = plane_of(r, k->stride)) == HD_NONE) || grow_ranges(r) ||
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
    if (visit_all(r, a, met_by_write, 0))
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
    if (visit_all(r, a, met_by_read, 0))
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
    return renew_boxes(r, a) || list_put(&r->fresh, a) ? -1 : 0;
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
    return renew_boxes(r, a) || list_put(&r->fresh, a) ? -1 : 0;
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
        if (visit_all(r, a, met_by_fresh, AREA(r, a)->writer != task))
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
    drop_cells(r);
    hd_delete(r, sizeof *r);
}

uint64_t hd_ranges_bytes(const hd_ranges *r)
{
    return sizeof *r + r->areas.n_bytes + r->nodes.n_bytes + r->planes.n_bytes + r->by_range.n_bytes + r->hits.n_bytes +
           r->reached.n_bytes + r->fresh.n_bytes + r->boxes.nodes.n_bytes + r->boxes.homeless.n_bytes +
           r->cells.heads.n_bytes + r->cells.spots.n_bytes;
}

uint64_t hd_ranges_looks(const hd_ranges *r) { return r->boxes.n_looks; }
