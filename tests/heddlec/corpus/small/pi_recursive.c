/* SPDX-License-Identifier: MIT */
/* shows: pi by halving the interval, shared results, min block
 * manner: summer school's exercise */
#include <stdio.h>
#include <omp.h>

static long num_steps = 1024 * 64;
#define MIN_BLK 1024

double pi_comp(int Nstart, int Nfinish, double step)
{
    double x, sum = 0.0, sum1, sum2;
    int i, iblk;
    if (Nfinish - Nstart < MIN_BLK) {
        for (i = Nstart; i < Nfinish; i++) {
            x = (i + 0.5) * step;
            sum = sum + 4.0 / (1.0 + x * x);
        }
    } else {
        iblk = Nfinish - Nstart;
#pragma omp task shared(sum1)
        sum1 = pi_comp(Nstart, Nfinish - iblk / 2, step);
#pragma omp task shared(sum2)
        sum2 = pi_comp(Nfinish - iblk / 2, Nfinish, step);
#pragma omp taskwait
        sum = sum1 + sum2;
    }
    return sum;
}

int main()
{
    double step, pi, sum;
    step = 1.0 / (double)num_steps;
    double init_time = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
        sum = pi_comp(0, num_steps, step);
    }
    pi = step * sum;
    double final_time = omp_get_wtime() - init_time;
    printf("pi with %ld steps is %.9f\n", num_steps, pi);
    fprintf(stderr, "in %f seconds\n", final_time);
    return 0;
}
