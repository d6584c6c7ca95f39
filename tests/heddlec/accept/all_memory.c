/* SPDX-License-Identifier: MIT */
/* construct: `depend(inout: omp_all_memory)`
 * generated: a barrier of the graph before the task, and one behind it
 * flags: --region=parallel
 * gcc: no, older ones have no omp_all_memory */
#include <stdio.h>

#define N 12

int main(void)
{
    int a[N], sum = 0, late[N];
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i++) {
#pragma omp task
            a[i] = i;
        }
#pragma omp task depend(inout : omp_all_memory)
        for (int i = 0; i < N; i++)
            sum += a[i];
        for (int i = 0; i < N; i++) {
#pragma omp task depend(in : a[i])
            late[i] = sum + a[i];
        }
    }
    for (int i = 0; i < N; i++)
        printf("%d\n", late[i]);
    return 0;
}
