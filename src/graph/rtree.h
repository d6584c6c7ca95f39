/* SPDX-License-Identifier: MIT */
/* rtree.h - boxes of a plane, found by what they overlap: R-trees (Guttman 1984), many in one block of memory.
 *
 * A tree is named by its root, HD_NONE when it is empty. A box has a number, and may be marked: a walk that wants marked
 * boxes only does not enter what holds none. A walk may put less in the place of a box that it meets: that is how parts of
 * boxes go. What a walk costs grows with the boxes that it meets, not with those that there are.
 *
 * Coordinates are exact: 64-bit integers. (The libraries at hand compare floating-point numbers, or cannot remove.) */
#ifndef HD_RTREE_H
#define HD_RTREE_H

#include "base/base.h"

typedef struct hd_box {
    uint64_t row, col, row_end, col_end; /* ends included */
} hd_box;

#define HD_BOX_MARKED 0x80000000u /* in an id */

/* What is left of `box` outside of `q`, which meets it: at most four boxes; how many. */
int hd_box_minus(const hd_box *box, const hd_box *q, hd_box rest[4]);

typedef struct hd_rtree {
    hd_list nodes;
    hd_list homeless; /* scratch: boxes to be put again */
    uint32_t free_nodes;
    uint64_t n_boxes;
    uint64_t n_looks; /* nodes that were looked into, ever: the work */
} hd_rtree;

typedef struct hd_walk hd_walk;
struct hd_walk {
    hd_box q;
    int marked_only; /* met may set it on the way */
    /* Beside q, or NULL: may a box that lies between these bounds be met? */
    int (*may_meet)(const hd_walk *w, const hd_box *bounds);
    /* A box that is met: how many boxes stand in its place from now on, their bounds in rest; or HD_BOX_KEPT. They lie within
     * it, and do not meet q. */
    int (*met)(hd_walk *w, uint32_t id, const hd_box *box, hd_box rest[4]);
};
#define HD_BOX_KEPT (-1)

void hd_rtree_init(hd_rtree *t);
void hd_rtree_clear(hd_rtree *t);

/* -1 without memory; the trees can then only be cleared. */
int hd_rtree_put(hd_rtree *t, uint32_t *root, const hd_box *box, uint32_t id);
int hd_rtree_walk(hd_rtree *t, uint32_t *root, hd_walk *w);

#endif
