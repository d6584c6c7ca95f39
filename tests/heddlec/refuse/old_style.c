/* SPDX-License-Identifier: MIT */
/* construct: a function of old style that declares its parameters in another order than it names them */
int less(a, b) /* expect: HC240 */
int b, a;
{
    return a < b;
}

void create(int *x)
{
#pragma omp task
    x[0] = less(1, 2);
}
