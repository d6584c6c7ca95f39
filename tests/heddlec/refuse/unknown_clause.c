/* SPDX-License-Identifier: MIT */
/* construct: an unknown clause, misspelt */
void f(int *x);
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task dpend(inout : x[0]) /* expect: HC100 */
        f(x);
    }
}
