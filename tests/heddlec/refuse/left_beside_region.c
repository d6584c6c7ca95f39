/* SPDX-License-Identifier: MIT */
/* construct: `target teams` in a source whose `target parallel` calls a function of another source that creates tasks
 * also: parts/left_in_task_2.c */
void create(int *x);

void fill(int *x, int n) { x[0] = n; }

void both(int *x, int n)
{
#pragma omp target teams distribute parallel for map(from : x [0:n]) /* expect: HC240 */
    for (int i = 0; i < n; i++)
        x[i] = i;
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    create(x);
}
