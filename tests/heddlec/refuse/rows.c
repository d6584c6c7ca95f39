/* SPDX-License-Identifier: MIT */
/* construct: pointers to pointers to arrays of variable length, and arrays of such, in a body */
static double pick(int n, int m, double a[n][m])
{
    double(*both[2])[m] = {a, a + 1}; /* expect: HC240 */
    return n;
}

void create(int n, int m, double a[n][m], double *to)
{
#pragma omp task
    to[0] = pick(n, m, a);
}
