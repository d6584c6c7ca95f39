/* SPDX-License-Identifier: MIT */
/* shows: two tasks behind a partition, no wait: the region's end is enough
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

#define SIZE 5000

int partition(int *a, int p, int r)
{
    int x = a[r], k = p, tmp;
    for (int l = p; l < r; l++)
        if (a[l] <= x) {
            tmp = a[k];
            a[k] = a[l];
            a[l] = tmp;
            k++;
        }
    tmp = a[k];
    a[k] = a[r];
    a[r] = tmp;
    return k;
}

void quick_sort(int *a, int p, int r)
{
    if (p < r) {
        int q = partition(a, p, r);
#pragma omp task firstprivate(a, p, q)
        quick_sort(a, p, q - 1);
#pragma omp task firstprivate(a, q, r)
        quick_sort(a, q + 1, r);
    }
}

int main(int argc, char **argv)
{
    int *a = (int *)malloc(SIZE * sizeof(int));
    unsigned seed = 42;
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i] = (seed >> 16) % 10000;
    }
    double start = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
        quick_sort(a, 0, SIZE - 1);
    }
    fprintf(stderr, "time: %f s\n", omp_get_wtime() - start);
    for (int i = 1; i < SIZE; i++)
        if (a[i - 1] > a[i]) {
            printf("not sorted at %d\n", i);
            return 1;
        }
    printf("sorted: %d ... %d ... %d\n", a[0], a[SIZE / 2], a[SIZE - 1]);
    free(a);
    return 0;
}
