/* SPDX-License-Identifier: MIT */
/* shows: merge sort into a scratch array, serial below a threshold, one branch in the creating thread
 * manner: blog post */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

#define THRESHOLD 64

static void merge(float *x, int n, float *tmp)
{
    int i = 0, j = n / 2, t = 0;
    while (i < n / 2 && j < n)
        tmp[t++] = x[i] < x[j] ? x[i++] : x[j++];
    while (i < n / 2)
        tmp[t++] = x[i++];
    while (j < n)
        tmp[t++] = x[j++];
    memcpy(x, tmp, n * sizeof(float));
}

static void mergesort_serial(float *x, int n, float *tmp)
{
    if (n < 2)
        return;
    mergesort_serial(x, n / 2, tmp);
    mergesort_serial(x + n / 2, n - n / 2, tmp);
    merge(x, n, tmp);
}

static void mergesort_parallel(float *x, int n, float *tmp)
{
    if (n < THRESHOLD) {
        mergesort_serial(x, n, tmp);
        return;
    }
#pragma omp task
    mergesort_parallel(x, n / 2, tmp);
    mergesort_parallel(x + n / 2, n - n / 2, tmp + n / 2);
#pragma omp taskwait
    merge(x, n, tmp);
}

int main(void)
{
    enum { n = 3000 };
    float *x = malloc(n * sizeof(float)), *tmp = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        x[i] = (float)((i * 7919) % n);
    omp_set_dynamic(0);
#pragma omp parallel
#pragma omp single
    mergesort_parallel(x, n, tmp);
    int sorted = 1;
    for (int i = 0; i < n; i++)
        sorted &= x[i] == (float)i;
    printf("sorted: %s\n", sorted ? "yes" : "no");
    free(tmp);
    free(x);
    return 0;
}
