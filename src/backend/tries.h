/* SPDX-License-Identifier: MIT */
/* tries.h - who of several candidates is run next, until it is clear enough which is the quickest.
 *
 * Each runs HD_TRIES times, in order: the first run of a candidate carries what is done once, the next one tells. Times of
 * single runs differ by some per cent; so those that came within a tenth of the best go on, in turn, lest a disturbance
 * meets one of them alone, until each of these has HD_TRIES_NEAR runs or is left behind. */
#ifndef HD_TRIES_H
#define HD_TRIES_H

#include <stddef.h>
#include <stdint.h>

#define HD_TRIES 2u
#define HD_TRIES_NEAR 5u

typedef struct hd_tried {
    uint32_t n_runs;
    uint64_t best_ns; /* 0: no run has ended well */
} hd_tried;

/* The index of the next, or n: the least best_ns shall be kept. */
size_t hd_next_try(const hd_tried *t, size_t n);

#endif
