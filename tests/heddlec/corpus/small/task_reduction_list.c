/* SPDX-License-Identifier: MIT */
/* shows: task_reduction of a taskgroup, in_reduction by each node's task
 * manner: OpenMP 5.0's examples */
#include <stdio.h>
#include <stdlib.h>

typedef struct node_tag {
    int val;
    struct node_tag *next;
} node_t;

int linked_list_sum(node_t *p)
{
    int res = 0;
#pragma omp taskgroup task_reduction(+ : res)
    {
        node_t *aux = p;
        while (aux != 0) {
#pragma omp task in_reduction(+ : res)
            res += aux->val;
            aux = aux->next;
        }
    }
    return res;
}

int main(int argc, char *argv[])
{
    node_t *root = NULL, *p;
    int i, res = 0;
    for (i = 0; i < 100; i++) {
        p = malloc(sizeof *p);
        p->val = i + 1;
        p->next = root;
        root = p;
    }
#pragma omp parallel
#pragma omp single
    res = linked_list_sum(root);
    printf("sum=%d\n", res);
    while (root) {
        p = root->next;
        free(root);
        root = p;
    }
    return 0;
}
