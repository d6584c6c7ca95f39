/* SPDX-License-Identifier: MIT */
/* bodies.h - the job of this example, and its record of params. */
#ifndef PRODUCT_BODIES_H
#define PRODUCT_BODIES_H

#include "heddle/multi.h"

typedef struct product_params {
    const float *a, *b;
    float *c;
    uint64_t n; /* columns of all three; rows lie one behind another */
} product_params;

#define PRODUCT_LOOPS(X) X(product_rows, 0)
HEDDLE_ENUM(product, PRODUCT_LOOPS)
HEDDLE_DECLARE(product)

#endif
