/* SPDX-License-Identifier: MIT */
/* construct: `ordered`, `cancel`, `threadprivate`, `copyin` */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
#pragma omp parallel for ordered /* expect: HC150 */
            for (int i = 0; i < n; i++)
                x[i] = 1;
        }
    }
}
