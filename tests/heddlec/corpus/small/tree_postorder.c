/* SPDX-License-Identifier: MIT */
/* shows: postorder: taskwait before the node itself; heights
 * manner: OpenMP's examples */
#include <stdio.h>
#include <stdlib.h>

typedef struct tree_s {
    struct tree_s *l, *r;
    int height;
} tree_t;

static tree_t *insert_left(int n)
{
    tree_t *t = NULL;
    for (int i = 0; i < n; i++) {
        tree_t *up = calloc(1, sizeof *up);
        up->l = t;
        if (i % 3 == 0)
            up->r = calloc(1, sizeof *up->r);
        t = up;
    }
    return t;
}

static int height(tree_t *t) { return t ? t->height : 0; }

static void postorder(tree_t *t)
{
    if (t->l)
#pragma omp task firstprivate(t)
        postorder(t->l);
    if (t->r)
#pragma omp task firstprivate(t)
        postorder(t->r);
#pragma omp taskwait
    t->height = 1 + (height(t->l) > height(t->r) ? height(t->l) : height(t->r));
}

int main(void)
{
    tree_t *t = insert_left(25);
#pragma omp parallel
    {
#pragma omp single
        postorder(t);
    }
    printf("height %d\n", t->height);
    for (tree_t *next; t; t = next) {
        next = t->l;
        free(t->r);
        free(t);
    }
    return 0;
}
