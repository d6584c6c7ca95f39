/* SPDX-License-Identifier: MIT */
/* construct: `target teams`, `target parallel for`, `distribute`, in a program with tasks */
void g(int *x, int n)
{
#pragma omp target teams map(tofrom : x [0:n]) /* expect: HC240 */
    x[0] = 1;
}

void create(int *x)
{
#pragma omp task
    x[0] = 1;
}
