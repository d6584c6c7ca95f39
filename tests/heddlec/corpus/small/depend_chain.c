/* SPDX-License-Identifier: MIT */
/* shows: out, in, inout on one int: the flow of values printed
 * manner: OpenMP's examples */
#include <stdio.h>

int main()
{
    int x = 1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 2;
#pragma omp task shared(x) depend(in : x)
        printf("x = %d\n", x);
#pragma omp taskwait
#pragma omp task shared(x) depend(inout : x)
        x *= 21;
#pragma omp task shared(x) depend(in : x)
        printf("x = %d\n", x);
    }
    return 0;
}
