/* SPDX-License-Identifier: MIT */
/* shows: villages in a tree whose patients are moved in lists, one task a village and step, cut-off by level
 * manner: BOTS, health with manual cut-off
 * args: 4 4 30 2
 * timed: 6 4 120 3 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct patient {
    int sick_for, visits;
    struct patient *next;
};

struct village {
    int level, n_children, staff, busy;
    unsigned seed;
    struct village *children, *up;
    struct patient *healthy, *waiting, *treated, *sent_up;
    long healed, steps;
    omp_lock_t lock;
};

static int branches, cutoff, levels;
static long population;

static unsigned draw(struct village *v, unsigned n)
{
    v->seed = v->seed * 1103515245u + 12345u;
    return (v->seed >> 16) % n;
}

static void append(struct patient **list, struct patient *p)
{
    p->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = p;
}

static void settle(struct village *v, int level, struct village *up, unsigned seed)
{
    *v = (struct village){.level = level, .staff = 1 << level, .seed = seed, .up = up};
    v->n_children = level > 1 ? branches : 0;
    v->children = calloc(v->n_children + 1, sizeof *v->children);
    omp_init_lock(&v->lock);
    for (int i = 0; i < 10; i++) {
        append(&v->healthy, calloc(1, sizeof(struct patient)));
        population++;
    }
    for (int i = 0; i < v->n_children; i++)
        settle(&v->children[i], level - 1, v, seed * 31 + i + 1);
}

static void treat(struct village *v)
{
    struct patient *p, *next, *left = NULL;
    for (p = v->treated; p; p = next) {
        next = p->next;
        if (--p->sick_for > 0) {
            append(&left, p);
            continue;
        }
        v->busy--;
        v->healed++;
        append(&v->healthy, p);
    }
    v->treated = left;
}

static void receive(struct village *v)
{
    struct patient *p, *next, *left = NULL;
    for (p = v->waiting; p; p = next) {
        next = p->next;
        p->visits++;
        if (v->busy == v->staff) {
            append(&left, p);
        } else if (v->up && draw(v, 10) < 3) {
            append(&v->sent_up, p);
        } else {
            v->busy++;
            p->sick_for = 3;
            append(&v->treated, p);
        }
    }
    v->waiting = left;
}

static void fall_ill(struct village *v)
{
    struct patient *p, *next, *left = NULL;
    for (p = v->healthy; p; p = next) {
        next = p->next;
        append(draw(v, 20) ? &left : &v->waiting, p);
    }
    v->healthy = left;
}

static void step(struct village *v)
{
    for (int i = 0; i < v->n_children; i++) {
        struct village *c = &v->children[i];
        if (levels - v->level < cutoff) {
#pragma omp task untied firstprivate(c)
            step(c);
        } else {
            step(c);
        }
    }
    treat(v);
    receive(v);
    fall_ill(v);
    v->steps++;
#pragma omp taskwait
    for (int i = 0; i < v->n_children; i++) {
        struct village *c = &v->children[i];
        omp_set_lock(&v->lock);
        while (c->sent_up) {
            struct patient *p = c->sent_up;
            c->sent_up = p->next;
            append(&v->waiting, p);
        }
        omp_unset_lock(&v->lock);
    }
}

static long count(const struct patient *p, long *visits)
{
    long n = 0;
    for (; p; p = p->next, n++)
        *visits += p->visits;
    return n;
}

static void totals(const struct village *v, long *people, long *visits, long *healed)
{
    *people +=
        count(v->healthy, visits) + count(v->waiting, visits) + count(v->treated, visits) + count(v->sent_up, visits);
    *healed += v->healed;
    for (int i = 0; i < v->n_children; i++)
        totals(&v->children[i], people, visits, healed);
}

int main(int argc, char **argv)
{
    long people = 0, visits = 0, healed = 0;
    levels = argc > 1 ? atoi(argv[1]) : 4;
    branches = argc > 2 ? atoi(argv[2]) : 4;
    int steps = argc > 3 ? atoi(argv[3]) : 30;
    cutoff = argc > 4 ? atoi(argv[4]) : 2;
    struct village *top = calloc(1, sizeof *top);
    settle(top, levels, NULL, 42);
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < steps; i++) {
#pragma omp task untied
        step(top);
#pragma omp taskwait
    }
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    totals(top, &people, &visits, &healed);
    printf("%ld people, %ld visits, %ld healed, %s\n", people, visits, healed,
           people == population && healed > 0 ? "successful" : "UNSUCCESSFUL");
    return 0;
}
