/* SPDX-License-Identifier: MIT */
/* shows: a tree built by malloc, sums from both branches
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    int value;
    struct node *left, *right;
} node;

static node *build(int lo, int hi)
{
    if (lo > hi)
        return NULL;
    node *n = malloc(sizeof(node));
    n->value = (lo + hi) / 2;
    n->left = build(lo, n->value - 1);
    n->right = build(n->value + 1, hi);
    return n;
}

static long sum(const node *n)
{
    long a = 0, b = 0;
    if (!n)
        return 0;
#pragma omp task shared(a)
    a = sum(n->left);
#pragma omp task shared(b)
    b = sum(n->right);
#pragma omp taskwait
    return a + b + n->value;
}

static void destroy(node *n)
{
    if (n) {
        destroy(n->left);
        destroy(n->right);
        free(n);
    }
}

int main(void)
{
    node *root = build(1, 1000);
    long total;
#pragma omp parallel
#pragma omp single
    total = sum(root);
    printf("sum = %ld\n", total);
    destroy(root);
    return 0;
}
