/* SPDX-License-Identifier: MIT */
/* histogram.c - see histogram.h. The first 2^5 numbers have a bucket each. Above, a bucket is named by the highest bit and the five
 * below it. */
#include "base/histogram.h"

#define SUB (1u << HD_HISTOGRAM_BITS)

static uint32_t bucket_of(uint64_t v)
{
    uint32_t high;
    if (v < SUB)
        return (uint32_t)v;
    high = 63u - (uint32_t)__builtin_clzll(v);
    return (high - HD_HISTOGRAM_BITS + 1u) * SUB + ((uint32_t)(v >> (high - HD_HISTOGRAM_BITS)) & (SUB - 1u));
}

/* The largest number of that bucket. */
static uint64_t end_of(uint32_t bucket)
{
    const uint64_t sub = bucket % SUB;
    const uint32_t shift = bucket / SUB - 1u;
    return bucket < SUB ? bucket : ((SUB + sub) << shift) + ((1ull << shift) - 1u);
}

void hd_histogram_add(hd_histogram *h, uint64_t v)
{
    h->least = h->n && h->least < v ? h->least : v;
    h->most = h->most > v ? h->most : v;
    h->n++;
    h->sum += v;
    h->count[bucket_of(v)]++;
}

uint64_t hd_histogram_quantile(const hd_histogram *h, uint64_t part, uint64_t whole)
{
    uint64_t left = h->n / whole * part + (h->n % whole * part + whole - 1u) / whole, end;
    uint32_t i;
    for (i = 0; h->n && i < HD_HISTOGRAM_BUCKETS; i++) {
        if (h->count[i] >= left) {
            end = end_of(i);
            return end < h->most ? end : h->most;
        }
        left -= h->count[i];
    }
    return 0;
}
