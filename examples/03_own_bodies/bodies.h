/* SPDX-License-Identifier: MIT */
/* bodies.h - what the bodies and the builder of the graph both know: records, lists, the table's name. */
#ifndef BODIES_H
#define BODIES_H

#include "heddle/task.h"

#define ROW 96 /* elements of a row */

typedef struct smooth_params {
    double *in, *out; /* rows of ROW elements */
    double *sums;     /* one a row            */
} smooth_params;

typedef struct smooth_row {
    uint64_t row;
} smooth_row;

/* Name, and bytes of memory that the threads of a worker share while the body runs. */
#define SMOOTH_BODIES(X)                          \
    X(smooth_average, (ROW + 2) * sizeof(double)) \
    X(smooth_sum, 0)
HEDDLE_ENUM(smooth, SMOOTH_BODIES)
HEDDLE_DECLARE(smooth)

#endif
