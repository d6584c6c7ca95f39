/* SPDX-License-Identifier: MIT */
/* The queue of several_files.c: a task a job. */
#include "queue.h"

static long work(int n)
{
    long s = 0;
    for (int i = 0; i <= n; i++)
        s += (long)i * i;
    return s;
}

void queue_init(queue *q) { q->n = 0; }

void queue_put(queue *q, int argument)
{
    q->jobs[q->n].argument = argument;
    q->jobs[q->n++].result = -1;
}

void queue_run(queue *q)
{
    for (int i = 0; i < q->n; i++) {
        job *j = &q->jobs[i];
#pragma omp task firstprivate(j)
        j->result = work(j->argument);
    }
#pragma omp taskwait
}

const char *queue_mode(void)
{
#ifdef _OPENMP
    return "openmp";
#else
    return "serial";
#endif
}
