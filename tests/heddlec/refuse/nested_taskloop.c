/* SPDX-License-Identifier: MIT */
/* construct: a `taskloop` inside a task with grainsize or num_tasks, whose tasks change a firstprivate copy */
void g(int *x, int n)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    {
#pragma omp task
        {
            int k = 0;
#pragma omp taskloop num_tasks(4) firstprivate(k) /* expect: HC140 */
            for (int i = 0; i < n; i++)
                x[i] = k++;
        }
    }
}
