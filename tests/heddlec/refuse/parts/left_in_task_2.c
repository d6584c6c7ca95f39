/* SPDX-License-Identifier: MIT */
/* left_in_task_2.c - the task of left_in_task.c. */
void fill(int *x, int n);

void create(int *x)
{
#pragma omp task
    fill(x, 4);
}
