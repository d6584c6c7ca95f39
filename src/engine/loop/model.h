/* SPDX-License-Identifier: MIT */
/* model.h - how long slices take: a straight line through the last ones that were timed. Never frozen: each slice moves it. */
#ifndef HD_LOOP_MODEL_H
#define HD_LOOP_MODEL_H

#include "engine/loop/split.h"

#define HD_N_SAMPLES 8u /* that the fixed cost comes from */
#define HD_N_LATEST 4u  /* that the time of a grain comes from */

typedef struct hd_samples {
    double n[HD_N_SAMPLES], ns[HD_N_SAMPLES];
    double deviation_ns; /* of the fixed cost; 0: none is known */
    double shortest_ns;  /* of all, ageing, too: the fixed cost is not more */
    uint32_t n_seen;
    int has_queued;
} hd_samples;

/* is_queued: others of its unit were under way before it. What a device pays for the first slice after it had nothing to do is not
 * what it pays for each; so once there are queued slices, only these count. */
void hd_samples_add(hd_samples *s, double n, double ns, int is_queued);
/* The time of a grain by the latest samples, of which each has a fixed cost of t0_ns. At least one was added. */
double hd_samples_each(const hd_samples *s, double t0_ns);
/* Moves m to what the samples say. */
void hd_samples_fit(hd_samples *s, hd_split_model *m);

#endif
