/* SPDX-License-Identifier: MIT */
/* shows: a context struct with pointers to the caller's variables, filled by a function
 * manner: library's example */
#include <stdio.h>

struct context {
    int *count;
    double *values;
    int n;
};

static void init(struct context *c, int *count, double *values, int n)
{
    c->count = count;
    c->values = values;
    c->n = n;
}

static void run(struct context *c, double by)
{
    for (int i = 0; i < c->n; i++)
        c->values[i] *= by;
    ++*c->count;
}

int main(void)
{
    int count = 0;
    double values[4] = {1, 2, 3, 4};
    struct context ctx;
    init(&ctx, &count, values, 4);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : count) shared(ctx, count)
        run(&ctx, 3.0);
#pragma omp task depend(inout : count) shared(ctx, count)
        run(&ctx, 0.5);
#pragma omp task depend(in : count) shared(count)
        printf("ran %d times\n", count);
    }
    for (int i = 0; i < 4; i++)
        printf("%g%c", values[i], i < 3 ? ' ' : '\n');
    return 0;
}
