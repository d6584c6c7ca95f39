/* SPDX-License-Identifier: MIT */
/* shows: blocked transpose, taskloop collapse(2)
 * manner: PRK */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int order = 96, tile = 16;
    double *A = malloc(order * order * sizeof(double)), *B = calloc(order * order, sizeof(double));
    for (int i = 0; i < order * order; i++)
        A[i] = i;
#pragma omp parallel
#pragma omp master
    for (int iter = 0; iter < 3; iter++) {
#pragma omp taskloop collapse(2) shared(A, B) firstprivate(order, tile)
        for (int it = 0; it < order; it += tile)
            for (int jt = 0; jt < order; jt += tile)
                for (int i = it; i < it + tile; i++)
                    for (int j = jt; j < jt + tile; j++) {
                        B[i * order + j] += A[j * order + i];
                        A[j * order + i] += 1.0;
                    }
    }
    double err = 0;
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++) {
            double d = B[j * order + i] - (3.0 * (i * order + j) + 3.0);
            err += d < 0 ? -d : d;
        }
    printf(err < 1e-8 ? "Solution validates\n" : "ERROR\n");
    return 0;
}
