/* SPDX-License-Identifier: MIT */
/* shows: deep recursion with one task a call, undeferred below
 * manner: test suite */
#include <stdio.h>

static int ackermann(int m, int n)
{
    int r;
    if (m == 0)
        return n + 1;
    if (n == 0) {
#pragma omp task shared(r) if (0)
        r = ackermann(m - 1, 1);
        return r;
    }
    int inner;
#pragma omp task shared(inner) if (m > 1)
    inner = ackermann(m, n - 1);
#pragma omp taskwait
    return ackermann(m - 1, inner);
}

int main(void)
{
    int a = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    a = ackermann(2, 5);
    printf("A(2, 5) = %d\n", a);
    return 0;
}
