/* SPDX-License-Identifier: MIT */
/* range.c - who last wrote a range, who has read it since.
 *
 * Each distinct range is an area. An area knows its last writer, the readers since, and the areas that overlap it;
 * so an access is one hash look-up, then a walk over what is in conflict and nothing else. Overlaps are looked for
 * once, when an area is first seen.
 *
 *     hash of the range -> area { writer; readers -> ...; overlaps -> ... }
 *
 * Looking for overlaps. Areas are rectangles: row = address / stride, column = address % stride, in the plane of
 * their stride; a contiguous range is a rectangle of one row in the plane of an endless stride, and at most three
 * rectangles (head, full rows, tail) in any other plane. Each plane is cut into cells of 2^a rows by 2^b columns, a
 * and b chosen by the rectangle's own size, so that a rectangle lies in at most four cells of its kind; a query
 * walks the cells it covers for each kind present (or all rectangles of the kind, when these are fewer). Contiguous
 * areas stand in every plane, blocks in the plane of their stride only; blocks of another stride are looked at as
 * one contiguous piece, which is safe and not exact.
 *
 * While all contiguous ranges are tiles of one grid (one size, starts that differ by multiples of it), which is what
 * blocked programs give, no two of them overlap and their plane is not kept; the first range that is no such tile
 * puts all of them into it.
 *
 * Memory of a tracker is freed whole; nothing is removed from it. */
#include "graph/range.h"
#include "heddle/core/rects.h"
#include "heddle/core/task.h" /* HD_NONE */

#include <string.h>

typedef struct area {
    hd_span span;     /* its key: the hash */
    uint32_t writer;  /* or HD_NONE */
    uint32_t readers; /* node chain, newest first */
    uint32_t n_readers;
    uint32_t overlaps; /* node chain; node.value is an area, COVERED set when it lies wholly in this one */
    uint32_t join;     /* stands for the writers of all overlapping areas, or HD_NONE */
    uint32_t seen;     /* the last query that met it */
    uint32_t next;     /* in its chain of by_range */
} area;

#define COVERED 0x80000000u

typedef struct node { /* readers and overlaps */
    uint32_t value, next;
} node;

typedef struct kind { /* rectangles of 2^row_bits by 2^col_bits in one plane */
    uint8_t row_bits, col_bits;
    uint32_t plane;
    uint32_t first; /* chain of its spots */
    uint64_t n;
} kind;

typedef struct spot { /* an area in one cell */
    uint32_t area, next_in_cell, next_in_kind;
    uint32_t hash; /* of the cell: others share its chain */
} spot;

struct hd_ranges {
    hd_list areas, nodes, spots, kinds, planes; /* area, node, spot, kind, uint64_t stride */
    hd_list by_range, cells;                    /* uint32_t tables of a power of two: chains of areas, of spots */
    uint32_t free_nodes;                        /* chain */
    uint32_t query;
    uint32_t last_kind;              /* the one found last: ranges of a program come in few sizes */
    uint64_t tile_bytes, tile_phase; /* of the grid of contiguous ranges, 0 = none seen; UINT64_MAX = no grid */
};

#define AREA(r, i) ((area *)(r)->areas.at + (i))
#define NODE(r, i) ((node *)(r)->nodes.at + (i))
#define SPOT(r, i) ((spot *)(r)->spots.at + (i))
#define KIND(r, i) ((kind *)(r)->kinds.at + (i))
#define PLANE(r, i) ((uint64_t *)(r)->planes.at + (i))

/* ---- ranges as they are looked up ------------------------------------------------------------------------------ */

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 32);
}

static inline uint8_t bits_of(uint64_t n) { return n <= 1 ? 0 : (uint8_t)(64 - __builtin_clzll(n - 1)); }

/* Neighbours in memory stand beside one another in a table (tasks are added along rows, and a table of a million
 * ranges is larger than the cache); groups of 256 are scattered, so that strides of a power of two do no harm. */
static inline uint32_t hash_near(uint64_t index, uint64_t salt)
{
    return (uint32_t)(index + (mix(index >> 8 ^ salt) << 8));
}

static inline hd_span span_of(const heddle_range *r)
{
    return hd_span_of((uint64_t)(uintptr_t)r->base, r->row_bytes, r->n_rows, r->stride_bytes);
}

static inline hd_span key_of(const heddle_range *r)
{
    hd_span k = span_of(r);
    k.key = hash_near(k.base >> bits_of(k.row_bytes), k.row_bytes ^ (uint64_t)k.n_rows << 40);
    return k;
}

static area area_of(const hd_span *k)
{
    area a = {*k, HD_NONE, HD_NONE, 0, HD_NONE, HD_NONE, 0, HD_NONE};
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

/* The head of the chain of a hash. */
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

/* Chains are short while a table has as many heads as items. */
static int grow_ranges(hd_ranges *r)
{
    hd_list old = r->by_range;
    uint64_t i;
    if (r->areas.n < old.n)
        return 0;
    if (table_new(&r->by_range, old.n * 4)) {
        r->by_range = old;
        return -1;
    }
    hd_list_clear(&old);
    for (i = 0; i < r->areas.n; i++)
        put_range(r, (uint32_t)i);
    return 0;
}

static int grow_cells(hd_ranges *r)
{
    hd_list old = r->cells;
    uint64_t s;
    if (r->spots.n < old.n)
        return 0;
    if (table_new(&r->cells, old.n * 4)) {
        r->cells = old;
        return -1;
    }
    hd_list_clear(&old);
    for (s = 0; s < r->spots.n; s++) {
        uint32_t *cell = chain_of(&r->cells, SPOT(r, s)->hash);
        SPOT(r, s)->next_in_cell = *cell;
        *cell = (uint32_t)s;
    }
    return 0;
}

/* ---- spots: areas in cells ------------------------------------------------------------------------------------- */

static uint32_t kind_of(hd_ranges *r, uint32_t plane, const hd_rect *q)
{
    uint8_t row_bits = bits_of(q->n_rows), col_bits = bits_of(q->n_cols);
    uint32_t i = r->last_kind;
    if (i < r->kinds.n && KIND(r, i)->col_bits == col_bits && KIND(r, i)->row_bits == row_bits &&
        KIND(r, i)->plane == plane)
        return i;
    for (i = 0; i < r->kinds.n; i++)
        if (KIND(r, i)->col_bits == col_bits && KIND(r, i)->row_bits == row_bits && KIND(r, i)->plane == plane)
            return r->last_kind = i;
    if (hd_list_room(&r->kinds, 1, sizeof(kind)))
        return HD_NONE;
    *KIND(r, i) = (kind){row_bits, col_bits, plane, HD_NONE, 0};
    r->kinds.n++;
    return i;
}

/* ---- overlaps -------------------------------------------------------------------------------------------------- */

static inline uint32_t new_node(hd_ranges *r, uint32_t value, uint32_t next)
{
    uint32_t i = r->free_nodes;
    if (i != HD_NONE) {
        r->free_nodes = NODE(r, i)->next;
    } else {
        if (hd_list_room(&r->nodes, 1, sizeof(node)))
            return HD_NONE;
        i = (uint32_t)r->nodes.n++;
    }
    *NODE(r, i) = (node){value, next};
    return i;
}

static int link_one(hd_ranges *r, uint32_t from, uint32_t to)
{
    uint32_t covered = hd_span_covers(&AREA(r, from)->span, &AREA(r, to)->span) ? COVERED : 0;
    uint32_t i = new_node(r, to | covered, AREA(r, from)->overlaps);
    if (i == HD_NONE)
        return -1;
    AREA(r, from)->overlaps = i;
    return 0;
}

/* A candidate that area a may overlap. */
static int meet(hd_ranges *r, uint32_t a, uint32_t other)
{
    if (AREA(r, other)->seen == r->query)
        return 0;
    AREA(r, other)->seen = r->query;
    if (!hd_spans_overlap(&AREA(r, a)->span, &AREA(r, other)->span))
        return 0;
    return link_one(r, a, other) || link_one(r, other, a) ? -1 : 0;
}

/* The cells of one kind that a rectangle covers. */
typedef struct cells {
    uint64_t row, row_end, col, col_end; /* ends included */
} cells;

static cells cells_of(const kind *k, const hd_rect *q)
{
    cells c = {q->row >> k->row_bits, (q->row + q->n_rows - 1) >> k->row_bits, q->col >> k->col_bits,
               (q->col + q->n_cols - 1) >> k->col_bits};
    return c;
}

/* All areas of a kind, when these are fewer than the cells to look into. */
static int query_all(hd_ranges *r, uint32_t k, uint32_t a)
{
    uint32_t s;
    for (s = KIND(r, k)->first; s != HD_NONE; s = SPOT(r, s)->next_in_kind)
        if (meet(r, a, SPOT(r, s)->area))
            return -1;
    return 0;
}

static void put_spot(hd_ranges *r, uint32_t k, uint32_t *cell, uint32_t hash, uint32_t a)
{
    uint32_t s = (uint32_t)r->spots.n++;
    *SPOT(r, s) = (spot){a, *cell, KIND(r, k)->first, hash};
    *cell = KIND(r, k)->first = s;
    KIND(r, k)->n++;
}

/* Meets the areas in these cells, if `query`; puts a into them, if `put` (at most four, room was made). */
static int visit_cells(hd_ranges *r, uint32_t k, const cells *c, uint32_t a, int query, int put)
{
    uint64_t row, col, n_cols = (*PLANE(r, KIND(r, k)->plane) >> KIND(r, k)->col_bits) + 1; /* cells of a row */
    uint32_t s;
    for (row = c->row; row <= c->row_end; row++)
        for (col = c->col; col <= c->col_end; col++) {
            uint32_t hash = hash_near(row * n_cols + col, k), *cell = chain_of(&r->cells, hash);
            for (s = query ? *cell : HD_NONE; s != HD_NONE; s = SPOT(r, s)->next_in_cell)
                if (SPOT(r, s)->hash == hash && meet(r, a, SPOT(r, s)->area))
                    return -1;
            if (put)
                put_spot(r, k, cell, hash, a);
        }
    return 0;
}

static int query_kind(hd_ranges *r, uint32_t k, const hd_rect *q, uint32_t a)
{
    cells c = cells_of(KIND(r, k), q);
    uint64_t rows = c.row_end - c.row + 1, cols = c.col_end - c.col + 1, n = KIND(r, k)->n;
    return rows > n || cols > n || rows * cols > n ? query_all(r, k, a) : visit_cells(r, k, &c, a, 1, 0);
}

/* Area a, new, in one plane: meets what is there; is put there if it belongs there. */
static int visit_plane(hd_ranges *r, uint32_t plane, uint32_t a, int query, int put)
{
    hd_rect q[3];
    int i, n = hd_span_rects(&AREA(r, a)->span, *PLANE(r, plane), q);
    uint32_t k;
    for (i = 0; i < n; i++) {
        uint32_t own = put ? kind_of(r, plane, &q[i]) : HD_NONE;
        if (put && (own == HD_NONE || hd_list_room(&r->spots, 4, sizeof(spot))))
            return -1;
        for (k = 0; query && k < r->kinds.n; k++)
            if (k != own && KIND(r, k)->plane == plane && query_kind(r, k, &q[i], a))
                return -1;
        if (put) {
            cells c = cells_of(KIND(r, own), &q[i]);
            if (visit_cells(r, own, &c, a, query, 1))
                return -1;
        }
    }
    return 0;
}

/* The plane of a stride, made when new: all contiguous areas are put into it. */
static uint32_t plane_of(hd_ranges *r, uint64_t stride)
{
    uint32_t p, a;
    for (p = 0; p < r->planes.n; p++)
        if (*PLANE(r, p) == stride)
            return p;
    if (hd_list_room(&r->planes, 1, sizeof(uint64_t)))
        return HD_NONE;
    *PLANE(r, p) = stride;
    r->planes.n++;
    for (a = 0; a < r->areas.n; a++)
        if (grow_cells(r) || (AREA(r, a)->span.n_rows == 1 && visit_plane(r, p, a, 0, 1)))
            return HD_NONE;
    return p;
}

/* Is a contiguous range a tile of the grid of all contiguous ranges so far? The first one makes the grid. */
static int is_tile(hd_ranges *r, const hd_span *k)
{
    if (r->tile_bytes == 0) {
        r->tile_bytes = k->row_bytes;
        r->tile_phase = k->base % k->row_bytes;
    }
    return r->tile_bytes == k->row_bytes && k->base % k->row_bytes == r->tile_phase;
}

/* There is no grid any more: all contiguous areas into their plane, where they overlap nothing yet. */
static int leave_grid(hd_ranges *r)
{
    uint32_t a;
    for (a = 0; r->tile_bytes != UINT64_MAX && a < r->areas.n; a++)
        if (grow_cells(r) || (AREA(r, a)->span.n_rows == 1 && visit_plane(r, 0, a, 0, 1)))
            return -1;
    r->tile_bytes = UINT64_MAX;
    return 0;
}

/* A range seen for the first time. */
static uint32_t new_area(hd_ranges *r, const hd_span *k)
{
    uint32_t a = (uint32_t)r->areas.n, p, own = plane_of(r, k->stride);
    int contiguous = k->n_rows == 1, tile = contiguous && is_tile(r, k);
    if (own == HD_NONE || (contiguous && !tile && leave_grid(r)) || grow_ranges(r) || grow_cells(r) ||
        hd_list_room(&r->areas, 1, sizeof(area)))
        return HD_NONE;
    *AREA(r, a) = area_of(k);
    put_range(r, a);
    r->areas.n++;
    AREA(r, a)->seen = ++r->query;
    /* Pthread 0 holds what contiguous ranges can meet; a block meets them in its own. */
    for (p = tile || !contiguous; p < r->planes.n; p++)
        if (visit_plane(r, p, a, 1, p == own || contiguous))
            return HD_NONE;
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

/* ---- accesses -------------------------------------------------------------------------------------------------- */

static void put(hd_list *before, uint32_t task) { ((uint32_t *)before->at)[before->n++] = task; }

static int put_readers(hd_ranges *r, const area *a, hd_list *before)
{
    uint32_t i;
    if (hd_list_room(before, a->n_readers, 4))
        return -1;
    for (i = a->readers; i != HD_NONE; i = NODE(r, i)->next)
        put(before, NODE(r, i)->value);
    return 0;
}

static inline void forget_readers(hd_ranges *r, area *a)
{
    uint32_t i = a->readers, last = i;
    if (i == HD_NONE)
        return;
    while (NODE(r, last)->next != HD_NONE)
        last = NODE(r, last)->next;
    NODE(r, last)->next = r->free_nodes;
    r->free_nodes = i;
    a->readers = HD_NONE;
    a->n_readers = 0;
}

/* Many readers of an area that a write meets only in part: later writers of other parts would each wait for all of
 * them, so one join stands for them from now on. */
static int join_readers(hd_ranges *r, area *a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n;
    uint32_t join, i;
    if (put_readers(r, a, before))
        return -1;
    join = j->join(j->self, (uint32_t *)before->at + first, before->n - first);
    if (join == HD_NONE)
        return -1;
    before->n = first;
    put(before, join);
    forget_readers(r, a);
    i = new_node(r, join, HD_NONE);
    if (i == HD_NONE)
        return -1;
    a->readers = i;
    a->n_readers = 1;
    return 0;
}

/* What overlaps an area that is written: readers since the last write (they come after it), or the last writer. */
static int gather_overlaps(hd_ranges *r, const area *a, hd_list *before, const hd_joiner *j)
{
    uint32_t i;
    for (i = a->overlaps; i != HD_NONE; i = NODE(r, i)->next) {
        area *o = AREA(r, NODE(r, i)->value & ~COVERED);
        int partly = !(NODE(r, i)->value & COVERED), bad = 0;
        if (o->n_readers > HD_JOIN_MIN && partly)
            bad = join_readers(r, o, before, j);
        else if (o->n_readers)
            bad = put_readers(r, o, before);
        else if (o->writer != HD_NONE && !(bad = hd_list_room(before, 1, 4)))
            put(before, o->writer);
        if (bad)
            return -1;
    }
    return 0;
}

/* Is a task of before[first..] newer than `writer`? If it accessed an area overlapping that of the writer, it waits
 * for the writer. */
static int has_newer(const hd_list *before, uint64_t first, uint32_t writer)
{
    for (; first < before->n; first++)
        if (((uint32_t *)before->at)[first] > writer)
            return 1;
    return 0;
}

static int gather_write(hd_ranges *r, area *a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n;
    if (a->overlaps != HD_NONE && gather_overlaps(r, a, before, j))
        return -1;
    if (a->n_readers)
        return put_readers(r, a, before);
    if (a->writer == HD_NONE || has_newer(before, first, a->writer))
        return 0;
    if (hd_list_room(before, 1, 4))
        return -1;
    put(before, a->writer);
    return 0;
}

/* Last writers of the areas that overlap one that is read; many of them through a join, which later readers use too
 * until one of these areas is written. */
static int gather_writers(hd_ranges *r, area *a, hd_list *before, const hd_joiner *j)
{
    uint64_t first = before->n;
    uint32_t i;
    for (i = a->overlaps; a->join == HD_NONE && i != HD_NONE; i = NODE(r, i)->next) {
        uint32_t w = AREA(r, NODE(r, i)->value & ~COVERED)->writer;
        if (w == HD_NONE)
            continue;
        if (hd_list_room(before, 1, 4))
            return -1;
        put(before, w);
    }
    if (a->join == HD_NONE && before->n - first > HD_JOIN_MIN) {
        a->join = j->join(j->self, (uint32_t *)before->at + first, before->n - first);
        if (a->join == HD_NONE)
            return -1;
        before->n = first;
    }
    if (a->join != HD_NONE && hd_list_room(before, 1, 4))
        return -1;
    if (a->join != HD_NONE)
        put(before, a->join);
    return 0;
}

static inline int gather_read(hd_ranges *r, area *a, hd_list *before, const hd_joiner *j)
{
    if (a->overlaps != HD_NONE && gather_writers(r, a, before, j))
        return -1;
    if (a->writer == HD_NONE)
        return 0;
    if (hd_list_room(before, 1, 4))
        return -1;
    put(before, a->writer);
    return 0;
}

int hd_ranges_gather(hd_ranges *r, const heddle_range *ranges, uint64_t n, uint32_t *areas, hd_list *before,
                     const hd_joiner *joiner)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        uint32_t a = find(r, &ranges[i]);
        int write = ranges[i].mode & HEDDLE_MODE_OUT;
        if (a == HD_NONE)
            return -1;
        areas[i] = a;
        if (write ? gather_write(r, AREA(r, a), before, joiner) : gather_read(r, AREA(r, a), before, joiner))
            return -1;
    }
    return 0;
}

static inline void note_write(hd_ranges *r, area *a, uint32_t task)
{
    uint32_t i;
    a->writer = task;
    a->join = HD_NONE;
    forget_readers(r, a);
    for (i = a->overlaps; i != HD_NONE; i = NODE(r, i)->next) {
        area *o = AREA(r, NODE(r, i)->value & ~COVERED);
        o->join = HD_NONE;
        if (NODE(r, i)->value & COVERED) { /* whoever meets it meets this task too, which waited for them */
            o->writer = HD_NONE;
            forget_readers(r, o);
        }
    }
}

static inline int note_read(hd_ranges *r, area *a, uint32_t task)
{
    uint32_t i;
    if (a->readers != HD_NONE && NODE(r, a->readers)->value == task)
        return 0;
    i = new_node(r, task, a->readers);
    if (i == HD_NONE)
        return -1;
    a->readers = i;
    a->n_readers++;
    return 0;
}

int hd_ranges_note(hd_ranges *r, const heddle_range *ranges, uint64_t n, const uint32_t *areas, uint32_t task)
{
    uint64_t i;
    for (i = 0; i < n; i++)
        if (ranges[i].mode & HEDDLE_MODE_OUT)
            note_write(r, AREA(r, areas[i]), task);
        else if (note_read(r, AREA(r, areas[i]), task))
            return -1;
    return 0;
}

/* ---- the tracker ----------------------------------------------------------------------------------------------- */

hd_ranges *hd_ranges_new(void)
{
    hd_ranges *r = hd_new(sizeof *r);
    if (!r)
        return NULL;
    r->free_nodes = HD_NONE;
    if (table_new(&r->by_range, 256) || table_new(&r->cells, 256) || plane_of(r, HD_LINE_STRIDE) == HD_NONE) {
        hd_ranges_free(r);
        return NULL;
    }
    return r;
}

void hd_ranges_free(hd_ranges *r)
{
    if (!r)
        return;
    hd_list_clear(&r->areas);
    hd_list_clear(&r->nodes);
    hd_list_clear(&r->spots);
    hd_list_clear(&r->kinds);
    hd_list_clear(&r->planes);
    hd_list_clear(&r->by_range);
    hd_list_clear(&r->cells);
    hd_delete(r, sizeof *r);
}

uint64_t hd_ranges_bytes(const hd_ranges *r)
{
    return sizeof *r + r->areas.n_bytes + r->nodes.n_bytes + r->spots.n_bytes + r->kinds.n_bytes + r->planes.n_bytes +
           r->by_range.n_bytes + r->cells.n_bytes;
}
