/* SPDX-License-Identifier: MIT */
/* construct: `parallel for` beside tasks in the statement that creates them */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        x[0] = 1;
#pragma omp taskwait
#pragma omp parallel for /* expect: HC110 */
        for (int i = 1; i < n; i++)
            x[i]++;
    }
}
