/* SPDX-License-Identifier: MIT */
/* construct: `target data`, `target enter data`, `target exit data`, `target update`, with `if` and map types
 * generated: calls on one table of mapped memory, with counts; nothing to copy where tasks run on the host */
#include <stdio.h>
#include <stdlib.h>

static void add(int *x, int n, int by)
{
#pragma omp target parallel map(tofrom : x [0:n])
#pragma omp single
    for (int i = 0; i < n; i += 10) {
#pragma omp task depend(inout : x[i])
        for (int k = i; k < i + 10; k++)
            x[k] += by;
    }
}

int main(void)
{
    int n = 100, *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), sum = 0;
    for (int i = 0; i < n; i++)
        x[i] = y[i] = i;
#pragma omp target enter data map(to : y [0:n])
#pragma omp target data map(tofrom : x [0:n]) if (n > 10)
    {
        add(x, n, 1);
        add(x, n, 10);
#pragma omp target update from(x [0:n])
        x[0] += 1000;
#pragma omp target update to(x [0:1])
        add(y, n, 5);
        add(x, n, 100);
    }
#pragma omp target exit data map(from : y [0:n])
    for (int i = 0; i < n; i++)
        sum += x[i] + 2 * y[i];
    printf("%d %d %d\n", sum, x[0], y[99]);
    free(x);
    free(y);
    return 0;
}
