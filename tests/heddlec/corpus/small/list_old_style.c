/* SPDX-License-Identifier: MIT */
/* shows: a list walked by all threads with single nowait, and a task a node by master
 * manner: course of the nineties */
#include <stdio.h>
#include <stdlib.h>

struct item {
    int v, done;
    struct item *next;
};

int main(void)
{
    struct item *head = NULL, *p;
    int i, sum = 0;
    for (i = 0; i < 20; i++) {
        p = malloc(sizeof *p);
        p->v = i;
        p->done = 0;
        p->next = head;
        head = p;
    }
#pragma omp parallel private(p)
    {
        for (p = head; p; p = p->next) {
#pragma omp single nowait
            p->done = p->v + 1;
        }
#pragma omp barrier
#pragma omp master
        for (p = head; p; p = p->next) {
#pragma omp task firstprivate(p)
            p->done *= 2;
        }
    }
    for (p = head; p; p = head) {
        sum += p->done;
        head = p->next;
        free(p);
    }
    printf("%d\n", sum);
    return 0;
}
