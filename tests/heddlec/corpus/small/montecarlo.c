/* SPDX-License-Identifier: MIT */
/* shows: a generator's state a task, rand_r in tasks, results by index
 * manner: student's project */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#define CHUNKS 16

int main(void)
{
    int hits[CHUNKS];
#pragma omp parallel
#pragma omp single
    for (int c = 0; c < CHUNKS; c++) {
#pragma omp task firstprivate(c) shared(hits)
        {
            unsigned seed = 17 * c + 1;
            int in = 0;
            for (int i = 0; i < 10000; i++) {
                double x = rand_r(&seed) / (double)RAND_MAX;
                double y = rand_r(&seed) / (double)RAND_MAX;
                if (x * x + y * y <= 1.0)
                    in++;
            }
            hits[c] = in;
        }
    }
    long sum = 0;
    for (int c = 0; c < CHUNKS; c++)
        sum += hits[c];
    double pi = 4.0 * sum / (CHUNKS * 10000.0);
    printf("pi is about 3.1: %s\n", pi > 3.1 && pi < 3.2 ? "yes" : "no");
    return 0;
}
