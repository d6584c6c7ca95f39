/* SPDX-License-Identifier: MIT */
/* construct: tasks created by all threads of a region */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
    {
#pragma omp task /* expect: HC142 */
        x[0] = 1;
    }
}
