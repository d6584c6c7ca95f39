/* SPDX-License-Identifier: MIT */
/* construct: a target region that creates no task */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4]) /* expect: HC111 */
#pragma omp single
    x[0] = 1;
}
