/* SPDX-License-Identifier: MIT */
/* ep_bodies.h - record, list and random numbers of the bodies of ep. */
#ifndef EP_BODIES_H
#define EP_BODIES_H

#include "heddle/loop.h"

#define EP_EACH 4096u /* pairs of an index */
#define EP_RINGS 10u
#define EP_SHARED (HEDDLE_N_PARTIALS * 8u + 48u)

/* The generator of NPB: x = 5^13 x mod 2^46, from 271828183 on; a number is x / 2^46. */
#define EP_SEED 271828183u
#define EP_FACTOR 1220703125u
#define EP_MASK ((UINT64_C(1) << 46) - 1u)

typedef struct ep_record {
    double *sx, *sy; /* of each tile: sums of the deviates */
    int64_t *rings;  /* of each tile: pairs with the larger deviate from k to k + 1 */
    uint64_t n;      /* pairs */
} ep_record;

HEDDLE_FN uint64_t ep_power(uint64_t base, uint64_t exponent)
{
    uint64_t power = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1u)
            power = power * base & EP_MASK;
        base = base * base & EP_MASK;
    }
    return power;
}

/* The state before the first number of that pair. */
HEDDLE_FN uint64_t ep_state(uint64_t pair) { return EP_SEED * ep_power(EP_FACTOR, 2u * pair) & EP_MASK; }

#define EP_BODIES(X) X(ep_deviates, EP_SHARED)
HEDDLE_ENUM(ep, EP_BODIES)
HEDDLE_DECLARE(ep)

#endif
