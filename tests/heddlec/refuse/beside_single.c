/* SPDX-License-Identifier: MIT */
/* construct: statements of all threads beside `single` */
void g(int *x)
{
#pragma omp target parallel map(tofrom : x [0:4])
    {
        x[1]++; /* expect: HC111 */
#pragma omp single
        {
#pragma omp task
            x[0] = 1;
        }
    }
}
