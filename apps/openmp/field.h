/* SPDX-License-Identifier: MIT */
/* field.h - a made-up field of temperatures, less the middle of its range, and its answer. For jacobi and heat. */
#ifndef OPENMP_FIELD_H
#define OPENMP_FIELD_H

#include "common.h"

static inline float *field_new(int rows, int cols, double *middle)
{
    size_t cells = (size_t)rows * (size_t)cols;
    float *x = memory(cells, sizeof *x);
    float min, max;
    for (size_t i = 0; i < cells; i++)
        x[i] = (float)(320.0 + 24.0 * noise_unit(1, i));
    min = max = x[0];
    for (size_t i = 0; i < cells; i++) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
    }
    *middle = (double)(0.5f * min + 0.5f * max);
    for (size_t i = 0; i < cells; i++)
        x[i] -= (float)*middle;
    return x;
}

static inline void field_answer(const float *x, int rows, int cols, double middle)
{
    const int at[4][2] = {{0, 0}, {rows / 3, cols / 4}, {rows / 2, cols - 1}, {rows - 1, cols - 1}};
    double sum = 0, squares = 0, min = middle + (double)x[0], max = min;
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++) {
        double v = middle + (double)x[i];
        sum += v;
        squares += (v - 320.0) * (v - 320.0);
        min = v < min ? v : min;
        max = v > max ? v : max;
    }
    say_f64("sum", sum);
    say_f64("sumsq_minus320", squares);
    say_f64("min", min);
    say_f64("max", max);
    for (int p = 0; p < 4; p++)
        printf("pts.%d,%d = %.17g\n", at[p][0], at[p][1],
               middle + (double)x[(size_t)at[p][0] * (size_t)cols + (size_t)at[p][1]]);
}

#endif
