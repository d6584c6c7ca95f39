/* SPDX-License-Identifier: MIT */
/* shows: a job queue in its own file, created in main's, its header in common
 * manner: makefile project
 * also: parts/queue.c */
#include <stdio.h>
#include "parts/queue.h"

int main(void)
{
    queue q;
    queue_init(&q);
    for (int i = 0; i < 12; i++)
        queue_put(&q, i * 3);
#pragma omp parallel
#pragma omp single
    queue_run(&q);
    long sum = 0;
    for (int i = 0; i < q.n; i++)
        sum += q.jobs[i].result;
    printf("%d jobs, sum %ld, mode %s\n", q.n, sum, queue_mode());
    return 0;
}
