/* SPDX-License-Identifier: MIT */
/* shows: priorities as hints, largest blocks first; the result does not depend on them
 * manner: OpenMP's examples */
#include <stdio.h>
#include <omp.h>

#define N 10

static void compute_array(double *node, int m)
{
    for (int i = 0; i < m; i++)
        node[i] = node[i] * 0.5 + m;
}

int main(void)
{
    static double arrays[N][N];
    double sum = 0;
    fprintf(stderr, "priorities up to %d\n", omp_get_max_task_priority());
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task priority(i)
        compute_array(arrays[i], i + 1);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += arrays[i][j];
    printf("%.1f\n", sum);
    return 0;
}
