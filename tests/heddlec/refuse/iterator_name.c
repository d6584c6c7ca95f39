/* SPDX-License-Identifier: MIT */
/* construct: an iterator whose name another clause of the directive uses, too */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task depend(iterator(i = 0 : n), in : x[i]) firstprivate(i) /* expect: HC123 */
        x[i] = i;
    }
}
