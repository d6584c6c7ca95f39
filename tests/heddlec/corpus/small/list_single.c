/* SPDX-License-Identifier: MIT */
/* shows: a linked list: a task a node, the pointer firstprivate
 * manner: OpenMP's examples */
#include <stdio.h>
#include <stdlib.h>

typedef struct list {
    int data;
    int square;
    struct list *next;
} list;

void process(list *p) { p->square = p->data * p->data; }

void increment_list_items(list *head)
{
#pragma omp parallel
    {
#pragma omp single
        {
            list *p = head;
            while (p) {
#pragma omp task
                process(p);
                p = p->next;
            }
        }
    }
}

int main()
{
    list *head = NULL;
    for (int i = 10; i > 0; i--) {
        list *p = (list *)malloc(sizeof(list));
        p->data = i;
        p->square = 0;
        p->next = head;
        head = p;
    }
    increment_list_items(head);
    while (head) {
        list *next = head->next;
        printf("%d -> %d\n", head->data, head->square);
        free(head);
        head = next;
    }
    return 0;
}
