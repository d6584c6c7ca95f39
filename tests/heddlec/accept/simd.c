/* SPDX-License-Identifier: MIT */
/* construct: `simd`, `for simd`, `parallel for simd` with safelen, simdlen, aligned, linear, reduction
 * generated: a plain loop of each thread */
#include <stdio.h>

static void axpy(float *y, const float *x, float a, int n)
{
#pragma omp parallel for simd safelen(8) simdlen(4)
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

static float dot(const float *x, const float *y, int n)
{
    float s = 0;
    int k = 0;
#pragma omp simd reduction(+ : s) linear(k : 1)
    for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
        k++;
    }
    return s + k;
}

int main(void)
{
    float x[64], y[64], r[1];
    for (int i = 0; i < 64; i++) {
        x[i] = i % 4;
        y[i] = i % 3;
    }
#pragma omp target parallel map(to : x) map(tofrom : y) map(from : r)
#pragma omp single
    {
#pragma omp task depend(inout : y)
        axpy(y, x, 2.0f, 64);
#pragma omp task depend(in : y) depend(out : r)
        r[0] = dot(x, y, 64);
    }
    printf("%g %g\n", (double)r[0], (double)y[63]);
    return 0;
}
