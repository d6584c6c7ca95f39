/* SPDX-License-Identifier: MIT */
/* bodies.h - the loop of this example, and its record of params. */
#ifndef SMOOTH_BODIES_H
#define SMOOTH_BODIES_H

#include "heddle/loop.h"

typedef struct smooth_params {
    const float *in; /* set by the library, for each device */
    float *out;
    double *energy; /* of each tile */
    uint64_t n;
} smooth_params;

#define SMOOTH_LOOPS(X) X(smooth_signal, 0)
HEDDLE_ENUM(smooth, SMOOTH_LOOPS)
HEDDLE_DECLARE(smooth)

#endif
