/* SPDX-License-Identifier: MIT */
/* shows: matrix product by quadrants: four tasks, wait, four tasks
 * manner: Cilk's programs in OpenMP */
#include <stdio.h>
#include <stdlib.h>

#define N 32
#define BASE 8

static void multiply(const double *a, const double *b, double *c, int n)
{
    if (n <= BASE) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                for (int j = 0; j < n; j++)
                    c[i * N + j] += a[i * N + k] * b[k * N + j];
        return;
    }
    int h = n / 2;
#define Q(m, i, j) ((m) + (i)*h * N + (j)*h)
#pragma omp task
    multiply(Q(a, 0, 0), Q(b, 0, 0), Q(c, 0, 0), h);
#pragma omp task
    multiply(Q(a, 0, 0), Q(b, 0, 1), Q(c, 0, 1), h);
#pragma omp task
    multiply(Q(a, 1, 0), Q(b, 0, 0), Q(c, 1, 0), h);
    multiply(Q(a, 1, 0), Q(b, 0, 1), Q(c, 1, 1), h);
#pragma omp taskwait
#pragma omp task
    multiply(Q(a, 0, 1), Q(b, 1, 0), Q(c, 0, 0), h);
#pragma omp task
    multiply(Q(a, 0, 1), Q(b, 1, 1), Q(c, 0, 1), h);
#pragma omp task
    multiply(Q(a, 1, 1), Q(b, 1, 0), Q(c, 1, 0), h);
    multiply(Q(a, 1, 1), Q(b, 1, 1), Q(c, 1, 1), h);
#pragma omp taskwait
}

int main(void)
{
    static double a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 7;
        b[i] = i % 5;
    }
#pragma omp parallel
#pragma omp single
    multiply(a, b, c, N);
    double bad = 0, trace = 0;
    for (int i = 0; i < N; i++) {
        trace += c[i * N + i];
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i * N + k] * b[k * N + j];
            bad += s != c[i * N + j];
        }
    }
    printf("trace %.0f, %.0f wrong\n", trace, bad);
    return 0;
}
