/* SPDX-License-Identifier: MIT */
/* shows: an `if` clause as cut-off, firstprivate written out, size as an argument
 * manner: tutorial
 * args: 20 */
#include <stdio.h>
#include <stdlib.h>

static long fib(int n, int depth)
{
    long i, j;
    if (n < 2)
        return n;
#pragma omp task shared(i) firstprivate(n, depth) if (depth < 6)
    i = fib(n - 1, depth + 1);
#pragma omp task shared(j) firstprivate(n, depth) if (depth < 6)
    j = fib(n - 2, depth + 1);
#pragma omp taskwait
    return i + j;
}

int main(int argc, char *argv[])
{
    int n = argc > 1 ? atoi(argv[1]) : 15;
    long r = 0;
#pragma omp parallel shared(r, n)
#pragma omp single
    r = fib(n, 0);
    printf("%d: %ld\n", n, r);
    return 0;
}
