/* SPDX-License-Identifier: MIT */
/* shows: triad by taskloop, A += B + s C, checked
 * manner: PRK
 * args: 12 5000 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <omp.h>

int main(int argc, char *argv[])
{
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    size_t length = argc > 2 ? atol(argv[2]) : 1000, bytes = length * sizeof(double);
    double *restrict A = malloc(bytes), *restrict B = malloc(bytes), *restrict C = malloc(bytes);
    double scalar = 3.0, begin = omp_get_wtime();
#pragma omp parallel
#pragma omp master
    {
#pragma omp taskloop firstprivate(length) shared(A, B, C)
        for (size_t i = 0; i < length; i++) {
            A[i] = 0.0;
            B[i] = 2.0;
            C[i] = 2.0;
        }
#pragma omp taskwait
        for (int iter = 0; iter < iterations; iter++) {
#pragma omp taskloop firstprivate(length) shared(A, B, C)
            for (size_t i = 0; i < length; i++)
                A[i] += B[i] + scalar * C[i];
#pragma omp taskwait
        }
    }
    double ar = iterations * (2.0 + scalar * 2.0), asum = 0.0;
    for (size_t i = 0; i < length; i++)
        asum += fabs(A[i]);
    fprintf(stderr, "%f s\n", omp_get_wtime() - begin);
    if (fabs(ar * length - asum) / asum > 1e-8) {
        printf("Failed Validation on output array\n");
        return 1;
    }
    printf("Solution validates\n");
    return 0;
}
