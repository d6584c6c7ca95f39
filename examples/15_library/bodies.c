/* SPDX-License-Identifier: MIT */
/* bodies.c - rows of C = A B by a body of our own. */
#include "bodies.h"

HEDDLE_LOOP(product_rows, product_params, params, s)
{
    HEDDLE_SPAN (i, s)
        for (uint64_t j = 0; j < params->n; j++) {
            float sum = 0;
            for (uint64_t k = 0; k < params->n; k++)
                sum += params->a[i * params->n + k] * params->b[k * params->n + j];
            params->c[i * params->n + j] = sum;
        }
}

HEDDLE_LOOP_TABLE(product, product_params, PRODUCT_LOOPS)
