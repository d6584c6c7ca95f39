/* SPDX-License-Identifier: MIT */
/* construct: types, tags and enumerators of one name and two meanings in two sources, and types that both declare alike
 * generated: the bodies' text has a name for each meaning; a type that both declare is one
 * also: parts/same_names_2.c */
#include <stddef.h>
#include <stdio.h>

#define NUMBER float
#include "parts/same_names.h"

struct point {
    int x;
    double w;
};
typedef int item;
enum { RED, GREEN, N = 4 };
typedef struct {
    int n;
    item v[N];
} list;
struct pair {
    int a;
    double b;
};
struct node {
    struct node *next;
    int value;
};
typedef struct {
    int value, depth;
} node; /* no struct node */

static const int table[2] = {RED + 10, GREEN + 10};
static int limit = 3;
static double scale(double x) { return 2 * x; }

struct pair swapped(struct pair p);
double hide(struct hidden *h, double x);
void create(double *to, struct hidden *h);
struct hidden *hidden(int is_begin);

static void more(double *to, struct vector v, node last)
{
#pragma omp task depend(out : to[2]) firstprivate(v, last)
    {
        struct node first = {NULL, 4}, *at = &first;
        node copy = last;
        number sum = 0;
        for (int i = 0; i < 3; i++)
            sum += v.v[i];
        to[2] = sum + at->value + copy.depth + (double)sizeof(struct node) + (double)sizeof(node) + total.n +
                total.sum + (double)sizeof v + (double)sizeof(number);
    }
}

int main(void)
{
    double to[6] = {0}, others[4] = {0};
    struct point p = {1, 2.5};
    list l = {2, {RED, GREEN, 7, 8}};
    struct pair q = {3, 4};
    struct hidden *h = hidden(1);
#pragma omp target parallel map(tofrom : to, others)
#pragma omp single
    {
#pragma omp task depend(out : to[0]) firstprivate(p, l)
        {
            struct point *at = &p;
            list copy = l;
            item i = GREEN;
            to[0] = scale(at->w) + copy.v[i] + table[1] + (double)sizeof(struct point) + offsetof(struct point, w);
        }
#pragma omp task depend(in : to[0]) depend(out : to[1]) firstprivate(q)
        {
            struct pair r = swapped(q);
            to[1] = r.a + 10 * r.b + limit + to[0] + ((list){3, {1, 2, [N - 2] = 5}}).v[2];
        }
#pragma omp task depend(out : to[3])
        to[3] = hide(h, 2);
        more(to, (struct vector){{1, 2, 0.5}}, (node){5, 6});
        create(others, h);
    }
    hidden(0);
    printf("%g %g %g %g\n", to[0], to[1], to[2], to[3]);
    printf("%g %g %g %g\n", others[0], others[1], others[2], others[3]);
    return 0;
}
