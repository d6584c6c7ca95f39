/* SPDX-License-Identifier: MIT */
/* blackscholes_bodies.h - record and list of the bodies of blackscholes. */
#ifndef BLACKSCHOLES_BODIES_H
#define BLACKSCHOLES_BODIES_H

#include "heddle/loop.h"

typedef struct blackscholes_record {
    const float *spot, *strike, *years;
    float *call, *put;
    float rate, volatility;
} blackscholes_record;

#define BLACKSCHOLES_BODIES(X) X(blackscholes_price, 0)
HEDDLE_ENUM(blackscholes, BLACKSCHOLES_BODIES)
HEDDLE_DECLARE(blackscholes)

#endif
