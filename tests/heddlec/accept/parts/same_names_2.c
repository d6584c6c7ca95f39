/* SPDX-License-Identifier: MIT */
/* same_names_2.c - the second source of same_names.c: other types, by the names of the first's. */
#define NUMBER double
#include "same_names.h"

enum shade { RED = 5, item, N = 2 };
struct point {
    double x, y, z;
};
typedef union {
    enum shade s;
    unsigned char c[4];
} list;
struct pair { /* as in the first */
    int a;
    double b;
};
typedef struct node {
    double value;
} node, *nodes;
struct hidden {
    double x;
};

static const double table[2] = {0.5, 0.25};
static int limit = 30;
static double scale(double x) { return 3 * x; }
static struct hidden the_hidden = {7};

struct pair swapped(struct pair p)
{
    struct pair r = {(int)p.b, p.a};
    return r;
}

double hide(struct hidden *h, double x) { return h->x * x; }
struct hidden *hidden(int is_begin)
{
    if (is_begin) {
#pragma omp target enter data map(to : the_hidden)
    } else {
#pragma omp target exit data map(release : the_hidden)
    }
    return &the_hidden;
}

static double norm(const struct point *p) { return p->x + p->y + p->z; }
static double value_of(nodes n, struct vector v) { return n->value + v.v[1] + total.sum + (double)sizeof total; }

void create(double *to, struct hidden *h)
{
    struct point p = {1, 2, 3};
    struct vector v = {{1, 2, 3}};
    enum shade s = item;
    list l = {RED};
    node n = {9};
#pragma omp task firstprivate(p, s, l) depend(out : to[0], to[1])
    {
        struct point all[N] = {p, {.y = 2}};
        list m = l;
        m.c[1] = item;
        to[0] = norm(&all[0]) + norm(all + 1) + (s == item) + m.s + limit;
        switch (s) {
        case RED: to[1] = 1; break;
        case item: to[1] = scale(table[0]) + (double)sizeof(struct point) + (double)sizeof(list[N]); break;
        default: to[1] = 3;
        }
    }
#pragma omp task firstprivate(n, v) depend(out : to[2])
    to[2] = value_of(&n, v) + (double)sizeof(struct node) + (double)sizeof(struct vector);
#pragma omp task depend(out : to[3])
    to[3] = h->x + total.n;
}
