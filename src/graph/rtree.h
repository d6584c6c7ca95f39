/* SPDX-License-Identifier: MIT */
/* rtree.h - boxes of a plane, found by overlap: R-trees (Guttman 1984), many in one block of memory.
 *
 * A tree is identified by its root, HD_NONE when empty. A box has a number and may be marked; a walk of marked boxes skips
 * nodes without any. A walk may replace a box that it meets by smaller ones: so parts of boxes are removed. The cost of a
 * walk grows with the boxes it meets, not with those in the tree.
 *
 * Coordinates are exact 64-bit integers. (The available libraries compare floating-point numbers, or cannot remove.) */
#ifndef HD_RTREE_H
#define HD_RTREE_H

#include "base/base.h"

typedef struct hd_box {
    uint64_t row, col, row_end, col_end; /* ends included */
} hd_box;

#define HD_BOX_MARKED 0x80000000u /* in an id */

/* Computes the part of `box` outside of `q`, which meets it. Returns the number of boxes, at most four. */
int hd_box_minus(const hd_box *box, const hd_box *q, hd_box rest[4]);

typedef struct hd_rtree {
    hd_list nodes;
    hd_list homeless; /* scratch: boxes to insert again */
    uint32_t free_nodes;
    uint64_t n_boxes;
    uint64_t n_looks; /* nodes visited so far: the work */
} hd_rtree;

typedef struct hd_walk hd_walk;
struct hd_walk {
    hd_box q;
    int marked_only; /* met may set it during the walk */
    /* A further test besides q, or NULL: may a box within these bounds be met? */
    int (*may_meet)(const hd_walk *w, const hd_box *bounds);
    /* Called for each met box. Returns the number of boxes that replace it (in rest, inside the box, not meeting q), or
     * HD_BOX_KEPT. */
    int (*met)(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4]);
};
#define HD_BOX_KEPT (-1)

void hd_rtree_init(hd_rtree *t);
void hd_rtree_clear(hd_rtree *t);

/* -1 without memory; the trees can then only be cleared. */
int hd_rtree_put(hd_rtree *t, uint32_t *root, const hd_box *box, uint32_t id);
int hd_rtree_walk(hd_rtree *t, uint32_t *root, hd_walk *w);

#endif
