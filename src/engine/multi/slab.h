/* SPDX-License-Identifier: MIT */
/* slab.h - the memory of a device as extents: best fit, in units of 256 bytes.
 *
 * A extent that is given back keeps its marks (points.h): queues may still be at work on it. What takes it next begins with these marks,
 * and its ops wait for them. So nobody waits when memory changes hands. Neighbours that are free stay apart while their marks differ,
 * so that no op waits for work on memory that it does not get; a taken extent may lie in several of them. */
#ifndef HD_MULTI_SLAB_H
#define HD_MULTI_SLAB_H

#include "engine/multi/points.h"

#define HD_SLAB_UNIT 256u

typedef struct hd_slab_extent {
    struct hd_slab_extent *prev, *next;           /* by address */
    struct hd_slab_extent *prev_free, *next_free; /* the same, of free ones */
    uint64_t at, n_bytes;
    int is_free;
    uint64_t marks[];
} hd_slab_extent;

typedef struct hd_slab {
    hd_slab_extent *first, *first_free;
    uint64_t n_bytes, used_bytes, n_extents;
    uint32_t device, n_marks;
} hd_slab;

/* n_bytes is rounded down to units. -1 without memory. */
int hd_slab_open(hd_slab *a, uint64_t n_bytes, uint32_t device, uint32_t n_marks);
void hd_slab_close(hd_slab *a);
/* n_bytes: more than 0, in units. ERANGE: no free neighbours have so much. ENOMEM. */
heddle_status hd_slab_take(hd_slab *a, const hd_clocks *c, uint64_t n_bytes, hd_slab_extent **out);
void hd_slab_give_back(hd_slab *a, hd_slab_extent *b);
uint64_t hd_slab_table_bytes(const hd_slab *a);

static inline uint64_t hd_slab_round(uint64_t n_bytes)
{
    return (n_bytes + HD_SLAB_UNIT - 1) / HD_SLAB_UNIT * HD_SLAB_UNIT;
}

#endif
