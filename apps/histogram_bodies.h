/* SPDX-License-Identifier: MIT */
/* histogram_bodies.h - record and list of the bodies of histogram. */
#ifndef HISTOGRAM_BODIES_H
#define HISTOGRAM_BODIES_H

#include "heddle/loop.h"

#define HISTOGRAM_BINS 256u
#define HISTOGRAM_ROW 4096u /* bytes of an index */
#define HISTOGRAM_TABLES 8u /* warps of a block have tables of their own, so that fewer threads meet at a bin */

typedef struct histogram_record {
    const uint8_t *bytes;
    int64_t *bins; /* of each tile */
    uint64_t n;    /* bytes; the last row may be short */
} histogram_record;

#define HISTOGRAM_BODIES(X) X(histogram_count, HISTOGRAM_TABLES *HISTOGRAM_BINS * 4u)
HEDDLE_ENUM(histogram, HISTOGRAM_BODIES)
HEDDLE_DECLARE(histogram)

#endif
