/* SPDX-License-Identifier: MIT */
/* construct: a name in a clause that is not declared */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task depend(inout : y[0]) /* expect: HC103 */
        x[0] = 1;
    }
}
