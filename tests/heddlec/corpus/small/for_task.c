/* SPDX-License-Identifier: MIT */
/* shows: a worksharing loop whose iterations create tasks
 * manner: BOTS, its omp-for versions */
#include <stdio.h>

#define N 40

static long collatz(long n)
{
    long steps = 0;
    for (; n != 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

int main(void)
{
    long steps[N + 1] = {0}, sum = 0;
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 1; i <= N; i++) {
#pragma omp task firstprivate(i) shared(steps)
            steps[i] = collatz(i);
        }
    }
    for (int i = 1; i <= N; i++)
        sum += steps[i];
    printf("%ld steps\n", sum);
    return 0;
}
