/* SPDX-License-Identifier: MIT */
/* shows: `void work()` with empty brackets, globals, K&R habits
 * manner: course of the nineties */
#include <stdio.h>

int result[4], limit = 5;

int clipped(v)
int v;
{
    return v > limit ? limit : v;
}

void work()
{
    int i;
    for (i = 0; i < 2; i++)
        result[i] = clipped(4 + i * 10);
}

void more_work()
{
    int i;
    for (i = 2; i < 4; i++)
        if (i < limit)
            result[i] = clipped(i);
}

int main()
{
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            work();
#pragma omp task
            more_work();
        }
    }
    printf("%d %d %d %d\n", result[0], result[1], result[2], result[3]);
    return 0;
}
