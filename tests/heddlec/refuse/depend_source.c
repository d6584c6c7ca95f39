/* SPDX-License-Identifier: MIT */
/* construct: `depend(source)`, `depend(sink)`, `depobj` */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp task depend(source) /* expect: HC121 */
        x[0] = 1;
    }
}
