/* SPDX-License-Identifier: MIT */
/* bodies.c - by trial division. */
#include "bodies.h"

HEDDLE_LOOP(primes_find, primes_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        uint64_t by = 2;
        while (by * by <= i && i % by != 0)
            by++;
        params->is_prime[i] = (uint8_t)(i >= 2 && by * by > i);
    }
}

HEDDLE_LOOP_TABLE(primes, primes_params, PRIMES_LOOPS)
