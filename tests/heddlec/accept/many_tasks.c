/* SPDX-License-Identifier: MIT */
/* construct: more tasks than are held before any of them runs; `critical` and `atomic` also in the region's own code
 * generated: on threads earlier tasks run while later ones are created; not where code outside of tasks has either of these
 * flags: --region=parallel
 * gpu: no, tasks find the counter through a pointer in memory */
#include <stdio.h>
#include <stdlib.h>

#define N 135000

typedef struct counter {
    long *n;
} counter;

static counter *of_tasks, *of_host;

static void count(counter *c, long by)
{
#pragma omp critical
    *c->n += by;
}

/* Two names of one counter: nobody can tell from the text. */
static void create_counting(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
        count(of_tasks, i);
        count(of_host, 1);
    }
}

int main(void)
{
    of_tasks = malloc(sizeof *of_tasks);
    of_host = malloc(sizeof *of_host);
    of_tasks->n = of_host->n = calloc(1, sizeof(long));
    create_counting();
    printf("%ld\n", *of_tasks->n);
    return 0;
}
