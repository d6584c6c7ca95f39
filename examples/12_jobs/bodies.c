/* SPDX-License-Identifier: MIT */
/* bodies.c - a cell becomes the mean of its four neighbours; the border of the plate keeps its temperature. */
#include "bodies.h"

HEDDLE_LOOP(plate_step, plate_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        const uint64_t cols = params->cols;
        const float *at = params->from + i * cols + j;
        const int is_border = i == 0 || i + 1 == params->rows || j == 0 || j + 1 == cols;
        params->to[i * cols + j] = is_border ? *at : 0.25f * (*(at - cols) + *(at + cols) + *(at - 1) + *(at + 1));
    }
}

HEDDLE_LOOP_TABLE(plate, plate_params, PLATE_LOOPS)
