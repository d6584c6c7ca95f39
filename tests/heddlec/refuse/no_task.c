/* SPDX-License-Identifier: MIT */
/* construct: a target region that creates no task, in a program with tasks */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4]) /* expect: HC111 */
#pragma omp single
    x[0] = 1;
}

void create(int *x)
{
#pragma omp task
    x[0] = 1;
}
