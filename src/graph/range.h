/* SPDX-License-Identifier: MIT */
/* range.h - the last writer of each range, and its readers since.
 *
 * A task is added in two steps. Gather finds the tasks that must precede it. Note records the task itself, once it has a
 * number; joins made while gathering take earlier numbers. */
#ifndef HD_RANGE_H
#define HD_RANGE_H

#include "base/base.h"

typedef struct hd_ranges hd_ranges;

/* More predecessors than this, from partly overlapping areas, go through one empty join task. */
#define HD_JOIN_MIN 16u

/* Adds an empty task after the n tasks of `before`; returns its number, or HD_NONE without memory. */
typedef struct hd_joiner {
    void *self;
    uint32_t (*join)(void *self, const uint32_t *before, uint64_t n);
} hd_joiner;

hd_ranges *hd_ranges_new(void); /* NULL: out of memory */
void hd_ranges_free(hd_ranges *r);
uint64_t hd_ranges_bytes(const hd_ranges *r); /* allocated memory */
uint64_t hd_ranges_looks(const hd_ranges *r); /* search structure nodes visited: the work of all calls */

/* Checks one range. ERANGE or EINVAL with a sentence. */
heddle_status hd_range_check_slowly(const heddle_range *r, hd_error *e);
static inline heddle_status hd_range_check(const heddle_range *r, hd_error *e)
{
    /* The usual case first: contiguous, well inside the address space. */
    if (r->n_rows <= 1 && r->row_bytes - 1 < INT64_MAX && (uint64_t)(uintptr_t)r->base <= INT64_MAX &&
        (unsigned)r->mode - 1u < 3u)
        return HEDDLE_OK;
    return hd_range_check_slowly(r, e);
}

/* The functions below return -1 without memory; the tracker can then only be freed. */

/* Finds the areas of n ranges (into areas) and appends to `before` (uint32_t) the tasks that conflict with them, possibly
 * twice. */
int hd_ranges_gather(hd_ranges *r, const heddle_range *ranges, uint64_t n, uint32_t *areas, hd_list *before,
                     const hd_joiner *joiner);
/* Records that `task` accesses these areas. */
int hd_ranges_note(hd_ranges *r, const heddle_range *ranges, uint64_t n, const uint32_t *areas, uint32_t task);

/* Do two ranges share a byte? Exact as heddle.h promises. */
int hd_range_overlap(const heddle_range *a, const heddle_range *b);

#endif
