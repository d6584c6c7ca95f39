/* SPDX-License-Identifier: MIT */
/* shows: merge sort in quarters with a merge that splits, too; quicksort and serial merge below two limits
 * manner: BOTS, sort
 * args: 20000 512 256
 * timed: 4000000 16384 16384 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long elm;

static long sort_limit, merge_limit;

static int compare(const void *a, const void *b)
{
    elm x = *(const elm *)a, y = *(const elm *)b;
    return (x > y) - (x < y);
}

static void merge_serial(const elm *a, const elm *a_end, const elm *b, const elm *b_end, elm *to)
{
    while (a < a_end && b < b_end)
        *to++ = *a <= *b ? *a++ : *b++;
    memcpy(to, a, (a_end - a) * sizeof(elm));
    memcpy(to + (a_end - a), b, (b_end - b) * sizeof(elm));
}

/* the first of those not less than v */
static const elm *lower(elm v, const elm *from, const elm *to)
{
    while (from < to) {
        const elm *middle = from + (to - from) / 2;
        if (*middle < v)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void merge(const elm *a, const elm *a_end, const elm *b, const elm *b_end, elm *to)
{
    if (a_end - a < b_end - b) {
        const elm *t = a, *t_end = a_end;
        a = b;
        a_end = b_end;
        b = t;
        b_end = t_end;
    }
    if ((a_end - a) + (b_end - b) < merge_limit || a_end - a < 2) {
        merge_serial(a, a_end, b, b_end, to);
        return;
    }
    const elm *a_split = a + (a_end - a) / 2, *b_split = lower(*a_split, b, b_end);
#pragma omp task untied
    merge(a, a_split, b, b_split, to);
#pragma omp task untied
    merge(a_split, a_end, b_split, b_end, to + (a_split - a) + (b_split - b));
#pragma omp taskwait
}

static void sort(elm *low, elm *tmp, long size)
{
    if (size < sort_limit) {
        qsort(low, size, sizeof(elm), compare);
        return;
    }
    long q = size / 4;
    elm *A = low, *B = A + q, *C = B + q, *D = C + q, *tB = tmp + q, *tC = tB + q, *tD = tC + q;
#pragma omp task untied
    sort(A, tmp, q);
#pragma omp task untied
    sort(B, tB, q);
#pragma omp task untied
    sort(C, tC, q);
#pragma omp task untied
    sort(D, tD, size - 3 * q);
#pragma omp taskwait
#pragma omp task untied
    merge(A, B, B, C, tmp);
#pragma omp task untied
    merge(C, D, D, low + size, tC);
#pragma omp taskwait
    merge(tmp, tC, tC, tmp + size, A);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 20000, bad = 0;
    sort_limit = argc > 2 ? atol(argv[2]) : 512;
    merge_limit = argc > 3 ? atol(argv[3]) : 256;
    elm *array = malloc(n * sizeof(elm)), *tmp = malloc(n * sizeof(elm));
    unsigned seed = 1;
    for (long i = 0; i < n; i++) /* a permutation of 0 ... n - 1 */
        array[i] = i;
    for (long i = n - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        long j = seed % (i + 1);
        elm t = array[i];
        array[i] = array[j];
        array[j] = t;
    }
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single nowait
#pragma omp task untied
    sort(array, tmp, n);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    for (long i = 0; i < n; i++)
        bad += array[i] != i;
    printf("%ld sorted, %s\n", n, bad ? "UNSUCCESSFUL" : "successful");
    free(array);
    free(tmp);
    return 0;
}
