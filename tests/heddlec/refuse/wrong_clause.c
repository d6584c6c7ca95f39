/* SPDX-License-Identifier: MIT */
/* construct: a clause that its directive does not take */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task schedule(static) /* expect: HC101 */
        x[0] = 1;
    }
}
