/* SPDX-License-Identifier: MIT */
/* shows: if/else cut-off by size and a taskgroup around the first call
 * manner: tutorial
 * args: 20000 500 */
#include <stdio.h>
#include <stdlib.h>

static int low_limit;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void sort(double *v, int left, int right)
{
    int i = left, j = right;
    double pivot = v[left + (right - left) / 2];
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j)
            swap(&v[i++], &v[j--]);
    }
    if (right - left < low_limit) {
        if (left < j)
            sort(v, left, j);
        if (i < right)
            sort(v, i, right);
    } else {
#pragma omp task
        sort(v, left, j);
#pragma omp task
        sort(v, i, right);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    low_limit = argc > 2 ? atoi(argv[2]) : 100;
    double *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w);
    unsigned s = 7;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        v[i] = w[i] = (s >> 8) / 1000.0;
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        sort(v, 0, n - 1);
    }
    qsort(w, n, sizeof *w, compare);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += v[i] != w[i];
    printf("%d elements, %d differ from qsort\n", n, bad);
    free(v);
    free(w);
    return bad != 0;
}
