/* SPDX-License-Identifier: MIT */
/* construct: a misspelt clause of `parallel master taskloop` */
void f(int n, double *x)
{
#pragma omp parallel master taskloop grainsiz(4) /* expect: HC100 */
    for (int i = 0; i < n; i++)
        x[i] = i;
}
