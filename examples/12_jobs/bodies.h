/* SPDX-License-Identifier: MIT */
/* bodies.h - the job of this example, and its record of params. */
#ifndef PLATE_BODIES_H
#define PLATE_BODIES_H

#include "heddle/multi.h"

typedef struct plate_params {
    const float *from; /* set by the library, for each device */
    float *to;
    uint64_t rows, cols;
} plate_params;

#define PLATE_LOOPS(X) X(plate_step, 0)
HEDDLE_ENUM(plate, PLATE_LOOPS)
HEDDLE_DECLARE(plate)

#endif
