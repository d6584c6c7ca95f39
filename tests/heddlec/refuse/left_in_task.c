/* SPDX-License-Identifier: MIT */
/* construct: a function with `target teams`, of a source without tasks, that a task calls
 * also: parts/left_in_task_2.c */
void fill(int *x, int n)
{
#pragma omp target teams distribute parallel for map(from : x [0:n]) /* expect: HC240 */
    for (int i = 0; i < n; i++)
        x[i] = i;
}
