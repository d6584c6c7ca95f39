/* SPDX-License-Identifier: MIT */
/* shows: branch and bound over sorted items, best value shared, `if` as cut-off by depth
 * manner: BOTS, knapsack with if
 * args: 20 6
 * timed: 58 10 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    int value, weight;
};

static int best_so_far, cutoff;

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    double c = (double)x->value / x->weight - (double)y->value / y->weight;
    return c > 0 ? -1 : c < 0;
}

static int read_best(void)
{
    int b;
#pragma omp atomic read
    b = best_so_far;
    return b;
}

static void raise_best(int v)
{
    if (v > read_best())
#pragma omp critical
    {
        if (v > read_best()) {
#pragma omp atomic write
            best_so_far = v;
        }
    }
}

static void knapsack(struct item *e, int c, int n, int v, int *sol, int depth)
{
    int with, without, best;
    if (c < 0) {
        *sol = -1;
        return;
    }
    if (n == 0 || c == 0) {
        *sol = v;
        raise_best(v);
        return;
    }
    if (v + (double)c * e->value / e->weight < read_best()) {
        *sol = -1;
        return;
    }
#pragma omp task untied firstprivate(e, c, n, v, depth) shared(without) if (depth < cutoff)
    knapsack(e + 1, c, n - 1, v, &without, depth + 1);
#pragma omp task untied firstprivate(e, c, n, v, depth) shared(with) if (depth < cutoff)
    knapsack(e + 1, c - e->weight, n - 1, v + e->value, &with, depth + 1);
#pragma omp taskwait
    best = with > without ? with : without;
    raise_best(best);
    *sol = best;
}

static int by_table(const struct item *e, int capacity, int n)
{
    int *t = calloc(capacity + 1, sizeof(int)), best;
    for (int i = 0; i < n; i++)
        for (int w = capacity; w >= e[i].weight; w--)
            if (t[w - e[i].weight] + e[i].value > t[w])
                t[w] = t[w - e[i].weight] + e[i].value;
    best = t[capacity];
    free(t);
    return best;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, capacity = 0, sol = -1;
    struct item *items = malloc(n * sizeof *items);
    unsigned s = 3;
    cutoff = argc > 2 ? atoi(argv[2]) : 6;
    for (int i = 0; i < n; i++) {
        s = s * 1103515245u + 12345u;
        items[i].weight = (s >> 16) % 90 + 10;
        s = s * 1103515245u + 12345u;
        items[i].value = items[i].weight * 4 + (s >> 16) % 30;
        capacity += items[i].weight;
    }
    capacity /= 2;
    qsort(items, n, sizeof *items, compare);
    double begin = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
#pragma omp task untied
        knapsack(items, capacity, n, 0, &sol, 0);
    }
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("%d items in %d: %d, %s\n", n, capacity, best_so_far,
           best_so_far == by_table(items, capacity, n) ? "successful" : "UNSUCCESSFUL");
    free(items);
    return 0;
}
