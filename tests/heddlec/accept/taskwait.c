/* SPDX-License-Identifier: MIT */
/* construct: `taskwait` after which the host reads nothing
 * generated: a barrier in the graph: later tasks follow all earlier ones, one launch */
#include <stdio.h>

int main(void)
{
    int x[40], y[40], sum = 0;
#pragma omp target parallel map(from : x, y)
#pragma omp single
    {
        for (int i = 0; i < 40; i++) {
#pragma omp task
            x[i] = i;
        }
#pragma omp taskwait
        for (int i = 0; i < 40; i++) {
#pragma omp task
            y[i] = x[39 - i] + x[(i * 7) % 40];
        }
#pragma omp taskwait
        for (int i = 0; i < 40; i++) {
#pragma omp task
            x[i] = y[(i + 1) % 40] - y[i];
        }
    }
    for (int i = 0; i < 40; i++)
        sum += x[i] * i + y[i];
    printf("%d\n", sum);
    return 0;
}
