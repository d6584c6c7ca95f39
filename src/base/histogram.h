/* SPDX-License-Identifier: MIT */
/* histogram.h - very many numbers in little memory. Number, sum, least and most are exact; a quantile is at most one part in
 * thirty-two too large. Zeroed memory is an empty histogram. No locks. */
#ifndef HD_HISTOGRAM_H
#define HD_HISTOGRAM_H

#include "base/base.h"

#define HD_HISTOGRAM_BITS 5u /* a power of two is divided into 2^5 buckets */
#define HD_HISTOGRAM_BUCKETS ((65u - HD_HISTOGRAM_BITS) << HD_HISTOGRAM_BITS)

typedef struct hd_histogram {
    uint64_t n, sum, least, most;
    uint64_t count[HD_HISTOGRAM_BUCKETS];
} hd_histogram;

void hd_histogram_add(hd_histogram *h, uint64_t v);
/* The least number of which at least n * part / whole of all are not larger, rounded up to the end of its bucket; 0 if it is
 * empty. */
uint64_t hd_histogram_quantile(const hd_histogram *h, uint64_t part, uint64_t whole);

#endif
