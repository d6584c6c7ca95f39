/* SPDX-License-Identifier: MIT */
/* construct: a clause given twice that may stand once */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task priority(1) priority(2) /* expect: HC101 */
        x[0] = 1;
    }
}
