/* SPDX-License-Identifier: MIT */
/* distance.h - how far a GPU's clock is from the host's. CUDA does not tell; causality bounds it: no task begins before it is
 * spawned, none ends after its end was seen. Each task that was on its way for a short time narrows the interval, and time that
 * passes widens it, because the clocks drift. */
#ifndef HD_DISTANCE_H
#define HD_DISTANCE_H

#include <stdint.h>

#define HD_DRIFT_PART 10000u /* clocks differ by less than one part in so many */

/* A time of the GPU + a number from `least` to `most` is the host's, at the host's time at_ns. All zero: nothing is known. */
typedef struct hd_distance {
    int64_t least, most;
    uint64_t at_ns;
} hd_distance;

/* A task was spawned and seen at these times of the host, and ran from begin to end of the GPU. In the order of seen_ns. */
void hd_distance_see(hd_distance *d, uint64_t spawned_ns, uint64_t begin, uint64_t end, uint64_t seen_ns);
/* What is known of two times is true of both: narrows d by what is known at another time. */
void hd_distance_meet(hd_distance *d, const hd_distance *other);

/* The middle; of such a task a number near it that makes it begin after it was spawned, and end before that was seen. */
static inline int64_t hd_distance_middle(const hd_distance *d) { return d->least + (d->most - d->least) / 2; }
int64_t hd_distance_of(const hd_distance *d, uint64_t spawned_ns, uint64_t begin, uint64_t end, uint64_t seen_ns);
static inline uint64_t hd_distance_error(const hd_distance *d) { return (uint64_t)(d->most - d->least + 1) / 2u; }

#endif
