/* SPDX-License-Identifier: MIT */
/* shows: pi by chunks, critical at each task's end
 * manner: university course */
#include <stdio.h>
#include <omp.h>

#define STEPS 100000
#define CHUNK 5000

int main(void)
{
    double sum = 0.0, step = 1.0 / STEPS, t0 = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
        {
            for (int i = 0; i < STEPS; i += CHUNK) {
#pragma omp task shared(sum)
                {
                    double local = 0.0;
                    for (int k = i; k < i + CHUNK; k++) {
                        double x = (k + 0.5) * step;
                        local += 4.0 / (1.0 + x * x);
                    }
#pragma omp critical
                    sum += local;
                }
            }
        }
    }
    printf("pi = %.8f\n", sum * step);
    fprintf(stderr, "%f seconds\n", omp_get_wtime() - t0);
    return 0;
}
