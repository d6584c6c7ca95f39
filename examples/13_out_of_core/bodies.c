/* SPDX-License-Identifier: MIT */
/* bodies.c - C += A B, of some columns of A and rows of B. */
#include "bodies.h"

HEDDLE_FN int32_t number_at(const int32_t *matrix, uint64_t stride, uint64_t row, uint64_t col)
{
    return ((const int32_t *)(const void *)((const char *)matrix + row * stride))[col];
}

HEDDLE_LOOP(blocks_multiply, blocks_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        int32_t *c = (int32_t *)(void *)((char *)params->c + i * params->c_stride) + j;
        int32_t sum = params->from ? *c : 0;
        for (uint64_t k = params->from; k < params->to; k++)
            sum += number_at(params->a, params->a_stride, i, k) * number_at(params->b, params->b_stride, k, j);
        *c = sum;
    }
}

HEDDLE_LOOP_TABLE(blocks, blocks_params, BLOCKS_LOOPS)
