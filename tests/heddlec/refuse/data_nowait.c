/* SPDX-License-Identifier: MIT */
/* construct: `target enter data` with `nowait` or `depend` */
void g(int *x, int n)
{
#pragma omp target enter data map(to : x [0:n]) nowait /* expect: HC105 */
    x[0] = 1;
}

void create(int *x)
{
#pragma omp task
    x[0] = 1;
}
