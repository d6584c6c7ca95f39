/* SPDX-License-Identifier: MIT */
/* construct: a library function that device code does not have: qsort, malloc, rand, strlen ... */
#include <stdlib.h>
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        x[0] = rand(); /* expect: HC180 */
    }
}
