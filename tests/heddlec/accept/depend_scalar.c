/* SPDX-License-Identifier: MIT */
/* construct: `depend(in|out|inout)` with scalars
 * generated: a range of the variable's bytes at its host address */
#include <stdio.h>

int main(void)
{
    int x = 1, y = 2, z = 3;
#pragma omp target parallel map(tofrom : x, y, z)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 10;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
        y = x + 5;
#pragma omp task shared(x, y, z) depend(in : x, y) depend(inout : z)
        z += x * y;
#pragma omp task shared(x) depend(inout : x)
        x++;
    }
    printf("%d %d %d\n", x, y, z);
    return 0;
}
