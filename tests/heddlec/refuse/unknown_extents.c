/* SPDX-License-Identifier: MIT */
/* construct: a section of several dimensions of pointers to pointers: it is no section */
void g(double **a, int n, int m)
{
#pragma omp target parallel map(tofrom : a [0:n])
#pragma omp single
    {
#pragma omp task depend(inout : a [0:n] [0:m]) /* expect: HC120 */
        a[0][0] = 1;
    }
}
