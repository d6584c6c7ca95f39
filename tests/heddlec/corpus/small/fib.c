/* SPDX-License-Identifier: MIT */
/* shows: fib by two tasks and a taskwait, from one thread
 * manner: university course */
#include <stdio.h>
#include <omp.h>

int fib(int n)
{
    int x, y;

    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

int main()
{
    int result;
#pragma omp parallel
    {
#pragma omp single
        result = fib(18);
    }
    printf("fib(18) = %d\n", result);
    return 0;
}
