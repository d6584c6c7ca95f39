/* SPDX-License-Identifier: MIT */
/* construct: `target teams`, `target parallel for`, `distribute` */
void g(int *x, int n)
{
#pragma omp target teams map(tofrom : x [0:n]) /* expect: HC240 */
    x[0] = 1;
}
