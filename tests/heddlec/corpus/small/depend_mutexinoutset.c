/* SPDX-License-Identifier: MIT */
/* shows: two accumulations in any order, then a reader
 * manner: OpenMP's examples */
#include <stdio.h>

static int compute(int v)
{
    int s = 0;
    for (int i = 0; i <= v; i++)
        s += i;
    return s;
}

int main(void)
{
    int a, b, c, d;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : c) shared(c)
        c = 1;
#pragma omp task depend(out : a) shared(a)
        a = compute(10);
#pragma omp task depend(out : b) shared(b)
        b = compute(20);
#pragma omp task depend(in : a) depend(mutexinoutset : c) shared(a, c)
        c += a;
#pragma omp task depend(in : b) depend(mutexinoutset : c) shared(b, c)
        c += b;
#pragma omp task depend(in : c) depend(out : d) shared(c, d)
        d = c;
    }
    printf("%d\n", d);
    return 0;
}
