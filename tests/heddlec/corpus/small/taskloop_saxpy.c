/* SPDX-License-Identifier: MIT */
/* shows: num_tasks, two taskloops after another with nogroup and taskwait
 * manner: tutorial */
#include <stdio.h>

#define N 1000

int main(void)
{
    static float x[N], y[N], z[N];
    float a = 2.5f;
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp taskloop num_tasks(8) nogroup
            for (int i = 0; i < N; i++)
                x[i] = i;
#pragma omp taskloop num_tasks(4) nogroup
            for (int i = 0; i < N; i++)
                y[i] = 1;
#pragma omp taskwait
#pragma omp taskloop simd simdlen(4) grainsize(100)
            for (int i = 0; i < N; i++)
                z[i] = a * x[i] + y[i];
        }
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += z[i];
    printf("%.1f\n", sum);
    return 0;
}
