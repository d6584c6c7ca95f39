/* SPDX-License-Identifier: MIT */
/* construct: calls of the OpenMP library that have no meaning in a task: omp_set_..., locks */
#include <omp.h>
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            omp_set_num_threads(4); /* expect: HC160 */
            x[0] = 1;
        }
    }
}
