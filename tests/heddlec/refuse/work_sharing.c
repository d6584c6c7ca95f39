/* SPDX-License-Identifier: MIT */
/* construct: work-sharing of several threads beside tasks in a region */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
    {
#pragma omp for /* expect: HC110 */
        for (int i = 0; i < n; i++)
            x[i] = i;
#pragma omp single
        {
#pragma omp task
            x[0] = 1;
        }
    }
}
