/* SPDX-License-Identifier: MIT */
/* construct: brackets that do not match */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4]
/* expect-above: HC102 */
#pragma omp single
    x[0] = 1;
}

void create(int *x)
{
#pragma omp task
    x[0] = 1;
}
