/* SPDX-License-Identifier: MIT */
/* construct: an unknown directive */
void g(int *x)
{
#pragma omp tsk /* expect: HC100 */
    x[0] = 1;
}
