/* SPDX-License-Identifier: MIT */
/* shows: the linked list of Fibonacci numbers, `p` private beside single, timing
 * manner: summer school's exercise */
#include <stdlib.h>
#include <stdio.h>
#include <omp.h>

#ifndef N
#define N 5
#endif
#ifndef FS
#define FS 20
#endif

struct node {
    int data;
    int fibdata;
    struct node *next;
};

int fib(int n)
{
    int x, y;
    if (n < 2)
        return (n);
    x = fib(n - 1);
    y = fib(n - 2);
    return (x + y);
}

void processwork(struct node *p)
{
    int n;
    n = p->data;
    p->fibdata = fib(n);
}

struct node *init_list(struct node *p)
{
    struct node *head = malloc(sizeof(struct node)), *temp;
    p = head;
    p->data = FS;
    p->fibdata = 0;
    for (int i = 0; i < N; i++) {
        temp = malloc(sizeof(struct node));
        p->next = temp;
        p = temp;
        p->data = FS + i + 1;
        p->fibdata = i + 1;
    }
    p->next = NULL;
    return head;
}

int main(int argc, char *argv[])
{
    double start, end;
    struct node *p = NULL, *temp = NULL, *head = NULL;

    head = init_list(p);
    start = omp_get_wtime();
#pragma omp parallel private(p)
    {
#pragma omp master
        fprintf(stderr, "threads: %d\n", omp_get_num_threads());
#pragma omp single
        {
            p = head;
            while (p) {
#pragma omp task firstprivate(p)
                {
                    processwork(p);
                }
                p = p->next;
            }
        }
    }
    end = omp_get_wtime();
    p = head;
    while (p != NULL) {
        printf("%d : %d\n", p->data, p->fibdata);
        temp = p->next;
        free(p);
        p = temp;
    }
    fprintf(stderr, "Compute Time: %f seconds\n", end - start);
    return 0;
}
