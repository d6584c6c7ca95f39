/* SPDX-License-Identifier: MIT */
/* shows: omp_in_final chooses the serial function; a taskgroup in place of taskwait
 * manner: blog post */
#include <omp.h>
#include <stdio.h>

static int serial_fib(int n)
{
    if (n < 2)
        return n;
    return serial_fib(n - 1) + serial_fib(n - 2);
}

static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
    if (omp_in_final())
        return serial_fib(n);
#pragma omp taskgroup
    {
#pragma omp task shared(a) final(n < 12)
        a = fib(n - 1);
#pragma omp task shared(b) final(n < 12)
        b = fib(n - 2);
    }
    return a + b;
}

int main(void)
{
    for (int n = 0; n <= 20; n += 5) {
        int f = -1;
#pragma omp parallel
#pragma omp single nowait
        f = fib(n);
        printf("fib %2d = %5d\n", n, f);
    }
    return 0;
}
