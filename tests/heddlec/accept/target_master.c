/* SPDX-License-Identifier: MIT */
/* construct: `target` + `parallel` + `master`; several `map` clauses: to, from, tofrom, alloc
 * generated: as for `target parallel`; copies to the device before the first run, back at the end */
#include <stdio.h>

static void twice(const int *x, int *t, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        t[i] = 2 * x[i];
}

static void add(const int *t, int *y, long *sum, int n)
{
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        y[i] = t[i] + 1;
        s += y[i];
    }
    *sum += s;
}

int main(void)
{
    enum { N = 1000, BLOCK = 37 };
    static int x[N], t[N], y[N];
    long sum[1] = {5};
    for (int i = 0; i < N; i++)
        x[i] = i * i % 101;
#pragma omp target map(to : x [0:N]) map(alloc : t [0:N]) map(from : y [0:N]) map(tofrom : sum [0:1])
#pragma omp parallel
#pragma omp master
    for (int i = 0; i < N; i += BLOCK) {
        int n = N - i < BLOCK ? N - i : BLOCK;
#pragma omp task depend(out : t [i:n])
        twice(x + i, t + i, n);
#pragma omp task depend(in : t [i:n]) depend(inout : sum[0])
        add(t + i, y + i, sum, n);
    }
    printf("%ld %d %d\n", sum[0], y[0], y[N - 1]);
    return 0;
}
