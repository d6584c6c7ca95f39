/* SPDX-License-Identifier: MIT */
/* construct: a variable that the host changes while tasks that share it may still read it, as a shared loop variable */
void g(int *x, int n)
{
    int i;
#pragma omp target parallel map(tofrom : x [0:n]) map(tofrom : i)
#pragma omp single
    for (i = 0; i < n; i++) { /* expect: HC211 */
#pragma omp task shared(i)
        x[i] = i;
    }
}
