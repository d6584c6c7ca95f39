/* SPDX-License-Identifier: MIT */
/* construct: `omp_get_thread_num`, `omp_get_num_threads`
 * generated: in an inner region the thread and the threads of the block; in a task's body the worker and the workers
 * gcc: serial inner regions give the same sums */
#include <omp.h>
#include <stdio.h>

static void share(int *x, int n, int *ok)
{
    int good = 1;
#pragma omp parallel reduction(&& : good)
    {
        int me = omp_get_thread_num(), of = omp_get_num_threads();
        for (int i = n * me / of; i < n * (me + 1) / of; i++)
            x[i] = i;
        good = good && me >= 0 && me < of;
    }
    *ok = good && omp_get_thread_num() < omp_get_num_threads();
}

int main(void)
{
    int x[100], ok[1], sum = 0;
#pragma omp target parallel map(from : x, ok)
#pragma omp single
    {
#pragma omp task
        share(x, 100, ok);
    }
    for (int i = 0; i < 100; i++)
        sum += x[i];
    printf("%d %d\n", sum, ok[0]);
    return 0;
}
