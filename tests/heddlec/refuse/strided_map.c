/* SPDX-License-Identifier: MIT */
/* construct: a mapped section that is not contiguous */
double a[10][10];
void g(void)
{
#pragma omp target parallel map(tofrom : a [0:10] [0:5]) /* expect: HC104 */
#pragma omp single
    {
#pragma omp task depend(inout : a[0][0])
        a[0][0] = 1;
    }
}
