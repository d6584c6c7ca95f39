/* SPDX-License-Identifier: MIT */
/* construct: `depend(inout: omp_all_memory)` */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task depend(inout : omp_all_memory) /* expect: HC123 */
        x[0] = 1;
    }
}
