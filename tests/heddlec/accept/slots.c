/* SPDX-License-Identifier: MIT */
/* construct: variables declared inside the region (or in a function called from it) that tasks share
 * generated: a slot that lives until the region ends, because tasks run after the variable's scope has ended */
#include <stdio.h>

static void pair(double *out, double x)
{
    double a = x, b[2] = {1, 2};
#pragma omp task shared(a) depend(inout : a)
    a = a * a;
#pragma omp task shared(a, b) depend(in : a) depend(inout : b)
    {
        b[0] += a;
        b[1] -= a;
    }
#pragma omp task shared(b) depend(in : b)
    *out = b[0] * 100 + b[1];
#pragma omp taskwait
}

int main(void)
{
    double out[8], host = 0;
#pragma omp target parallel map(tofrom : out, host)
#pragma omp single
    {
        for (int i = 0; i < 8; i++)
            pair(&out[i], i * 0.5);
        for (int i = 0; i < 3; i++) {
            int n = i, seen = 0;
#pragma omp task shared(n) depend(inout : n)
            n = n * 10 + 1;
#pragma omp taskwait
            seen = n;
            host += seen;
        }
    }
    for (int i = 0; i < 8; i++)
        printf("%g ", out[i]);
    printf("%g\n", host);
    return 0;
}
