/* SPDX-License-Identifier: MIT */
/* shows: taskwait with a depend clause: only one of two tasks is waited for
 * manner: OpenMP 5.0's examples */
#include <stdio.h>

int main(void)
{
    int x = 0, y = 2;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp task shared(y)
        y--;
#pragma omp taskwait depend(in : x)
        printf("x = %d\n", x);
#pragma omp taskwait
        printf("y = %d\n", y);
    }
    return 0;
}
