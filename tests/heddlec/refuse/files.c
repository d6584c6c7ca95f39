/* SPDX-License-Identifier: MIT */
/* construct: files, inline assembly, setjmp, variable arguments in a body */
#include <stdio.h>
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            fprintf(stderr, "%d\n", x[0]); /* expect: HC181 */
            x[0] = 1;
        }
    }
}
