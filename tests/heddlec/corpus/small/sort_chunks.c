/* SPDX-License-Identifier: MIT */
/* shows: qsort of chunks in tasks, pairwise merges that depend on them
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1024
#define CHUNK 256

static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void merge(int *a, int n, int m)
{
    int *t = malloc((n + m) * sizeof *t), i = 0, j = n, k = 0;
    while (i < n && j < n + m)
        t[k++] = a[j] < a[i] ? a[j++] : a[i++];
    while (i < n)
        t[k++] = a[i++];
    while (j < n + m)
        t[k++] = a[j++];
    memcpy(a, t, (n + m) * sizeof *t);
    free(t);
}

int main(void)
{
    int *a = malloc(N * sizeof *a), bad = 0;
    for (int i = 0; i < N; i++)
        a[i] = (i * 37 + 11) % N;
#pragma omp parallel
#pragma omp single
    {
        for (int c = 0; c < N; c += CHUNK) {
#pragma omp task depend(out : a[c])
            qsort(a + c, CHUNK, sizeof(int), cmp);
        }
        for (int w = CHUNK; w < N; w *= 2)
            for (int c = 0; c < N; c += 2 * w) {
#pragma omp task depend(inout : a[c]) depend(in : a[c + w])
                merge(a + c, w, w);
            }
    }
    for (int i = 0; i < N; i++)
        bad += a[i] != i;
    printf("%d elements out of place\n", bad);
    free(a);
    return bad;
}
