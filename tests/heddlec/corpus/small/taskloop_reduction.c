/* SPDX-License-Identifier: MIT */
/* shows: dot product and minimum by reductions of a taskloop
 * manner: tutorial */
#include <stdio.h>
#include <float.h>

#define N 512

double x[N], y[N];

int main(void)
{
    double dot = 0.0, least = DBL_MAX;
    for (int i = 0; i < N; i++) {
        x[i] = i % 9;
        y[i] = (i * 31) % 101 - 50;
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : dot) reduction(min : least) num_tasks(16)
        for (int i = 0; i < N; i++) {
            dot += x[i] * y[i];
            if (x[i] * y[i] < least)
                least = x[i] * y[i];
        }
    }
    printf("dot %.0f least %.0f\n", dot, least);
    return 0;
}
