/* SPDX-License-Identifier: MIT */
/* shows: Fibonacci numbers by two tasks a call, manual cut-off by depth: the creating function calls a serial one below
 * manner: BOTS, fib with manual cut-off
 * args: 20 6
 * timed: 40 10 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int cutoff;

static long long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

static long long fib(int n, int depth)
{
    long long x, y;
    if (n < 2)
        return n;
    if (depth < cutoff) {
#pragma omp task untied shared(x) firstprivate(n, depth)
        x = fib(n - 1, depth + 1);
#pragma omp task untied shared(y) firstprivate(n, depth)
        y = fib(n - 2, depth + 1);
#pragma omp taskwait
    } else {
        x = fib_serial(n - 1);
        y = fib_serial(n - 2);
    }
    return x + y;
}

static long long fib_loop(int n)
{
    long long a = 0, b = 1;
    for (; n > 0; n--) {
        long long t = a + b;
        a = b;
        b = t;
    }
    return a;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    long long result = 0;
    cutoff = argc > 2 ? atoi(argv[2]) : 6;
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    result = fib(n, 0);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("fib(%d) = %lld, %s\n", n, result, result == fib_loop(n) ? "successful" : "UNSUCCESSFUL");
    return 0;
}
