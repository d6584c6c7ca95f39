/* SPDX-License-Identifier: MIT */
/* tries.h - which candidate runs next, until the quickest is clear enough.
 *
 * Each candidate runs HD_TRIES times, in order: its first run includes one-time costs, the next one counts. Single runs
 * differ by some per cent, so candidates within a tenth of the best continue. They take turns, so that a disturbance does not
 * hit one alone, until each has HD_TRIES_NEAR runs or falls behind. */
#ifndef HD_TRIES_H
#define HD_TRIES_H

#include <stddef.h>
#include <stdint.h>

#define HD_TRIES 2u
#define HD_TRIES_NEAR 5u

typedef struct hd_tried {
    uint32_t n_runs;
    uint64_t best_ns; /* 0: no successful run */
} hd_tried;

/* The index of the next candidate, or n: keep the one with the least best_ns. */
size_t hd_next_try(const hd_tried *t, size_t n);

#endif
