/* SPDX-License-Identifier: MIT */
/* construct: one region run again and again, with other sizes each time; two regions in one function
 * generated: a graph a run */
#include <stdio.h>

static int a[100];

static void round_of(int n, int by)
{
#pragma omp target parallel map(tofrom : a [0:n])
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : a[i])
        a[i] += by;
    }
#pragma omp target parallel map(tofrom : a [0:n])
#pragma omp single
    {
#pragma omp task
        a[0] ^= n;
    }
}

int main(void)
{
    unsigned long sum = 0;
    for (int k = 0; k < 60; k++)
        round_of(1 + k * 7 % 100, k);
    for (int i = 0; i < 100; i++)
        sum = sum * 3 + (unsigned long)a[i];
    printf("%lu\n", sum);
    return 0;
}
