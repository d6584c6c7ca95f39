/* SPDX-License-Identifier: MIT */
/* boxfilter_bodies.h - record and list of the bodies of boxfilter. */
#ifndef BOXFILTER_BODIES_H
#define BOXFILTER_BODIES_H

#include "heddle/loop.h"

/* Beyond this the sum of a box might not be exact in single precision. */
#define BOXFILTER_MOST_REACH 127u
#define BOXFILTER_WIDE 256u /* columns at a time */

typedef struct boxfilter_record {
    const uint8_t *pixels;
    uint8_t *means;
    uint64_t rows, cols;
    uint32_t reach;
} boxfilter_record;

#define BOXFILTER_BODIES(X) X(boxfilter_mean, (BOXFILTER_WIDE + 2u * BOXFILTER_MOST_REACH) * 4u)
HEDDLE_ENUM(boxfilter, BOXFILTER_BODIES)
HEDDLE_DECLARE(boxfilter)

#endif
