/* SPDX-License-Identifier: MIT */
/* shows: array sum by halves, the right one in the thread itself
 * manner: tutorial */
#include <stdio.h>
#include <stdlib.h>

static double sum(const double *a, size_t n)
{
    if (n <= 128) {
        double s = 0;
        for (size_t i = 0; i < n; i++)
            s += a[i];
        return s;
    }
    double x, y;
    size_t half = n / 2;
#pragma omp task shared(x) default(none) firstprivate(a, half)
    x = sum(a, half);
    y = sum(a + half, n - half);
#pragma omp taskwait
    return x + y;
}

int main(void)
{
    size_t n = 10000;
    double *a = malloc(n * sizeof(double));
    double s;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)(i % 10);
#pragma omp parallel default(none) shared(a, n, s)
#pragma omp single
    s = sum(a, n);
    printf("%.1f\n", s);
    free(a);
    return 0;
}
