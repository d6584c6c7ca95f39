/* SPDX-License-Identifier: MIT */
/* construct: an array of variable length as firstprivate */
void g(int *x, int n)
{
    int t[n];
    t[0] = 1;
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task firstprivate(t) /* expect: HC240 */
        x[0] = t[0];
    }
}
