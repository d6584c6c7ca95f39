/* SPDX-License-Identifier: MIT */
/* construct: shared scalars that tasks change through other names: pointers set at file scope, in lists, by called functions,
 * on the heap, in copied structs, in unions, in integers; and addresses that functions only use while they run
 * generated: by address where the variable's own may be kept, or another file may name it; else by value
 * flags: --region=parallel */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

union cell {
    int *p;
    char bytes[sizeof(int *)];
};

struct context {
    int *count;
    int limit;
};

int shared_all = 1;
int *const_less = &shared_all;
static int hidden = 2, *pair[2] = {0, &hidden}, plain = 30;
static struct context table[2] = {{0, 1}, {&plain, 2}};

static void keep(struct context *c, int *x) { c->count = x; }
static void run(struct context *c) { *c->count += c->limit; }
static void hand_out(int **out, int *x) { *out = x; }
static void fill(int *n, int *m)
{
    *n = 5;
    *m = *n + 1;
}
static int *behind(int *x) { return x; }
static int twice(const int *x) { return 2 * *x; }

static void at_file_scope(void)
{
    int r[4] = {0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : shared_all)
        *const_less = 9;
#pragma omp task depend(in : shared_all) shared(r)
        r[0] = shared_all;
#pragma omp task depend(out : hidden)
        *pair[1] = 8;
#pragma omp task depend(in : hidden) shared(r)
        r[1] = hidden;
#pragma omp task depend(inout : plain)
        run(&table[1]);
#pragma omp task depend(in : plain) shared(r)
        r[2] = plain;
    }
    printf("%d %d %d\n", r[0], r[1], r[2]);
}

static void in_memory(void)
{
    int a = 1, b = 2, c = 3, d = 4, e = 5, n, m, r[8] = {0};
    struct context one, two, *heap = malloc(sizeof *heap);
    union cell u, v;
    uintptr_t number = (uintptr_t)&d;
    int *list[2] = {0, 0}, *out, *from_union;
    keep(&one, &a);
    one.limit = 10;
    memcpy(&two, &one, sizeof two);
    keep(heap, &b);
    heap->limit = 20;
    u.p = &c;
    memcpy(v.bytes, u.bytes, sizeof v.bytes);
    from_union = v.p;
    for (int i = 0; i < 2; i++)
        list[i] = i ? behind(&e) : NULL;
    fill(&n, &m);
    hand_out(&out, &list[1][0]);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : a)
        run(&two);
#pragma omp task depend(in : a)
        r[0] = a;
#pragma omp task depend(inout : b)
        run(heap);
#pragma omp task depend(in : b)
        r[1] = b;
#pragma omp task depend(out : c)
        *from_union = 33;
#pragma omp task depend(in : c)
        r[2] = c;
#pragma omp task depend(out : d)
        *(int *)number = 44;
#pragma omp task depend(in : d)
        r[3] = d;
#pragma omp task depend(out : e)
        *out = 55;
#pragma omp task depend(in : e)
        r[4] = e + n + m + twice(&n);
    }
    for (int i = 0; i < 5; i++)
        printf("%d\n", r[i]);
    free(heap);
}

/* A parameter of a function that creates tasks. */
static void later(int *x)
{
#pragma omp task depend(inout : *x)
    *x += 7;
}

int main(void)
{
    int x = 1, y = 0;
    at_file_scope();
    in_memory();
#pragma omp parallel
#pragma omp single
    {
        later(&x);
#pragma omp task depend(in : x) depend(out : y)
        y = x;
    }
    printf("%d\n", y);
    return 0;
}
