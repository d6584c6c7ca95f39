/* SPDX-License-Identifier: MIT */
/* range_inside.h - the books of a tracker of ranges (range.c says what they mean), which range.c, range_boxes.c and range_cells.c share.
 * Nobody else includes it. */
#ifndef HD_RANGE_INSIDE_H
#define HD_RANGE_INSIDE_H

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
#define LINES 0u /* the plane of contiguous areas */

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 32);
}

static inline uint8_t bits_of(uint64_t n) { return n <= 1 ? 0 : (uint8_t)(64 - __builtin_clzll(n - 1)); }

/* Neighbours in memory are neighbours in a table: tasks are added along rows, and a table of a million ranges exceeds the
 * cache. Groups of 256 are scattered, so that power-of-two strides do not collide. */
static inline uint32_t hash_near(uint64_t index) { return (uint32_t)(index + mix(index >> 8)); }

static inline int table_new(hd_list *t, uint64_t n)
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

/* Keeps chains short: a table has at least as many heads as items, n. Returns 1 if it grew; all chains are then empty. */
static inline int widen(hd_list *t, uint64_t n)
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

static inline int list_put(hd_list *l, uint32_t value)
{
    if (hd_list_room(l, 1, 4))
        return -1;
    ITEM(l, l->n) = value;
    l->n++;
    return 0;
}

/* ---- range_boxes.c ------------------------------------------------------------------------------------------------ */

/* A walk over areas, or over planes; it lists each plane's number once. */
typedef struct visit {
    hd_walk walk;
    hd_ranges *r;
    uint32_t a;  /* the querying area */
    uint32_t at; /* the plane being walked */
    int exact;   /* the walk's box holds only bytes of that area */
    int failed;  /* no memory */
} visit;

typedef int met_fn(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4]);
/* The plane of a stride, created if new. HD_NONE: no memory. */
uint32_t hd_ranges_plane_of(hd_ranges *r, uint64_t stride);
/* Inserts all of an area that has no box. */
int hd_ranges_put_boxes(hd_ranges *r, uint32_t a);
/* Replaces the boxes of area a by all of it. */
int hd_ranges_renew_boxes(hd_ranges *r, uint32_t a);
/* Calls met for all boxes (or marked ones only) that area a meets. r->hits then has the areas that met listed. */
int hd_ranges_visit(hd_ranges *r, uint32_t a, met_fn *met, int marked_only);
/* By a task that reads, or writes, the area of the visit. */
met_fn hd_ranges_met_by_read, hd_ranges_met_by_write;

/* ---- range_cells.c ------------------------------------------------------------------------------------------------ */

/* Puts a new area into cells. 0: it does not fit, and cells are no longer used. -1: no memory. */
int hd_ranges_put_in_cells(hd_ranges *r, uint32_t a, const hd_span *k);
void hd_ranges_drop_cells(hd_ranges *r);

#endif
