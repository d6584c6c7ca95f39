/* SPDX-License-Identifier: MIT */
/* construct: a function called from a task whose source was not given */
void elsewhere(int *x);
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        elsewhere(x); /* expect: HC141 */
    }
}
