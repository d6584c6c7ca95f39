/* SPDX-License-Identifier: MIT */
/* construct: a barrier or inner region where threads may part */
#include <omp.h>
static void part(int *x, int n)
{
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
#pragma omp barrier /* expect: HC155 */
            x[0] = n;
        }
    }
}
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        part(x, n);
    }
}
