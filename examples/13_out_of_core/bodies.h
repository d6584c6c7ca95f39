/* SPDX-License-Identifier: MIT */
/* bodies.h - the job of this example, and its record of params. */
#ifndef BLOCKS_BODIES_H
#define BLOCKS_BODIES_H

#include "heddle/multi.h"

/* Strides are set by the library like pointers: a piece of a matrix may lie packed in a device's memory. */
typedef struct blocks_params {
    const int32_t *a, *b;
    int32_t *c;
    uint64_t a_stride, b_stride, c_stride; /* bytes from row to row */
    uint64_t from, to;                     /* columns of A and rows of B of this job */
} blocks_params;

#define BLOCKS_LOOPS(X) X(blocks_multiply, 0)
HEDDLE_ENUM(blocks, BLOCKS_LOOPS)
HEDDLE_DECLARE(blocks)

#endif
