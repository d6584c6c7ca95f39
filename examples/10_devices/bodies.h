/* SPDX-License-Identifier: MIT */
/* bodies.h - a loop in which later indices take longer. */
#ifndef PRIMES_BODIES_H
#define PRIMES_BODIES_H

#include "heddle/loop.h"

typedef struct primes_params {
    uint8_t *is_prime;
} primes_params;

#define PRIMES_LOOPS(X) X(primes_find, 0)
HEDDLE_ENUM(primes, PRIMES_LOOPS)
HEDDLE_DECLARE(primes)

#endif
