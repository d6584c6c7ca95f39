/* SPDX-License-Identifier: MIT */
/* construct: `in_reduction`, `task_reduction`, `detach` */
void g(int *x)
{
    int s = 0;
#pragma omp target parallel map(tofrom : x [0:4])
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : s) /* expect: HC122 */
        {
#pragma omp task
            x[0] = 1;
        }
    }
}
