/* SPDX-License-Identifier: MIT */
/* shows: one function with tasks called inside a region, outside, and in a second region
 * manner: tutorial */
#include <stdio.h>

#define N 8

static void fill(int *v, int by)
{
    for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
        v[i] += i * by;
    }
#pragma omp taskwait
}

static int sum(const int *v)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += v[i];
    return s;
}

int main(void)
{
    int v[N] = {0};
    fill(v, 1);
    printf("outside: %d\n", sum(v));
#pragma omp parallel
    {
#pragma omp single
        fill(v, 10);
#pragma omp single
        printf("inside: %d\n", sum(v));
    }
#pragma omp parallel
#pragma omp master
    fill(v, 100);
    printf("again: %d\n", sum(v));
    return 0;
}
