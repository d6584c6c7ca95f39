/* SPDX-License-Identifier: MIT */
/* shows: final and mergeable as cut-off
 * manner: BOTS, its final versions */
#include <stdio.h>

#define CUTOFF 5

long long fib(int n, int d)
{
    long long x, y;
    if (n < 2)
        return n;
#pragma omp task untied shared(x) firstprivate(n) final(d + 1 >= CUTOFF) mergeable
    x = fib(n - 1, d + 1);
#pragma omp task untied shared(y) firstprivate(n) final(d + 1 >= CUTOFF) mergeable
    y = fib(n - 2, d + 1);
#pragma omp taskwait
    return x + y;
}

long long fib_seq(int n) { return n < 2 ? n : fib_seq(n - 1) + fib_seq(n - 2); }

int main(void)
{
    long long par, seq = fib_seq(19);
#pragma omp parallel
#pragma omp single
#pragma omp task
    par = fib(19, 0);
    printf("%lld %s\n", par, par == seq ? "successful" : "unsuccessful");
    return par != seq;
}
