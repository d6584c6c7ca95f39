/* SPDX-License-Identifier: MIT */
/* shows: 2-D star stencil by tasks over row strips, timing, checked against the formula
 * manner: PRK
 * args: 10 120 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define R 2
static double weight[2 * R + 1][2 * R + 1];

int main(int argc, char *argv[])
{
    if (argc < 3) {
        printf("Usage: %s <iterations> <grid size>\n", argv[0]);
        return 1;
    }
    int iterations = atoi(argv[1]), n = atoi(argv[2]), gs = 16;
    for (int k = 1; k <= R; k++) {
        weight[R][R + k] = weight[R + k][R] = 1.0 / (2.0 * k * R);
        weight[R][R - k] = weight[R - k][R] = -1.0 / (2.0 * k * R);
    }
    double *in = malloc(n * n * sizeof(double)), *out = malloc(n * n * sizeof(double)), time = 0;
#pragma omp parallel
#pragma omp master
    {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                in[i * n + j] = i + j;
                out[i * n + j] = 0;
            }
        for (int iter = 0; iter <= iterations; iter++) {
            if (iter == 1)
                time = omp_get_wtime();
#pragma omp taskloop firstprivate(n) shared(in, out) grainsize(gs)
            for (int i = R; i < n - R; i++)
                for (int j = R; j < n - R; j++)
                    for (int k = -R; k <= R; k++) {
                        out[i * n + j] += weight[R][R + k] * in[i * n + j + k];
                        if (k)
                            out[i * n + j] += weight[R + k][R] * in[(i + k) * n + j];
                    }
#pragma omp taskloop shared(in) grainsize(gs)
            for (int i = 0; i < n * n; i++)
                in[i] += 1.0;
        }
        time = omp_get_wtime() - time;
    }
    double norm = 0;
    for (int i = R; i < n - R; i++)
        for (int j = R; j < n - R; j++)
            norm += fabs(out[i * n + j]);
    norm /= (double)(n - 2 * R) * (n - 2 * R);
    double reference = 2.0 * (iterations + 1);
    if (fabs(norm - reference) > 1e-8) {
        printf("ERROR: L1 norm = %f Reference L1 norm = %f\n", norm, reference);
        return 1;
    }
    printf("Solution validates, norm %.3f\n", norm);
    fprintf(stderr, "Avg time (s): %f\n", time / iterations);
    return 0;
}
