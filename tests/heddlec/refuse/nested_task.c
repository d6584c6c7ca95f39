/* SPDX-License-Identifier: MIT */
/* construct: a task that creates tasks */
static void leaf(int *x)
{
#pragma omp task /* expect: HC140 */
    x[0]++;
}
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        leaf(x);
    }
}
