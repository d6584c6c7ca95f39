/* SPDX-License-Identifier: MIT */
/* construct: `depend(mutexinoutset)`, `depend(inoutset)`, iterators */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : x[0]) /* expect: HC123 */
        x[0] = 1;
    }
}
