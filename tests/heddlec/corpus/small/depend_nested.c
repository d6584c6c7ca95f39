/* SPDX-License-Identifier: MIT */
/* shows: a task with depend has children with depend of their own
 * manner: validation suite */
#include <stdio.h>

int main(void)
{
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x, y)
        {
#pragma omp task depend(out : y) shared(y)
            y = 20;
#pragma omp task depend(inout : y) shared(y)
            y += 1;
#pragma omp taskwait
            x = y;
        }
#pragma omp task depend(in : x) shared(x, z)
        z = 2 * x;
    }
    printf("%d %d %d\n", x, y, z);
    return 0;
}
