/* SPDX-License-Identifier: MIT */
/* shows: traversal where each task marks its node; no wait
 * manner: OpenMP's examples */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left;
    struct node *right;
    int id, visited;
};

static void process(struct node *p) { p->visited += p->id * 2; }

void traverse(struct node *p)
{
    if (p->left)
#pragma omp task
        traverse(p->left);
    if (p->right)
#pragma omp task
        traverse(p->right);
    process(p);
}

#define N 127
static struct node nodes[N];

int main()
{
    for (int i = 0; i < N; i++) {
        nodes[i].id = i;
        nodes[i].left = 2 * i + 1 < N ? &nodes[2 * i + 1] : NULL;
        nodes[i].right = 2 * i + 2 < N ? &nodes[2 * i + 2] : NULL;
    }
#pragma omp parallel
#pragma omp single
    traverse(&nodes[0]);
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += nodes[i].visited;
    printf("%d\n", sum);
    return 0;
}
