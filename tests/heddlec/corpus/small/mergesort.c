/* SPDX-License-Identifier: MIT */
/* shows: merge sort with a taskwait before the merge
 * manner: university course */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void merge(int arr[], int l, int m, int r)
{
    int n1 = m - l + 1, n2 = r - m;
    int *L = (int *)malloc(n1 * sizeof(int));
    int *R = (int *)malloc(n2 * sizeof(int));
    memcpy(L, arr + l, n1 * sizeof(int));
    memcpy(R, arr + m + 1, n2 * sizeof(int));
    int i = 0, j = 0, k = l;
    while (i < n1 && j < n2)
        arr[k++] = L[i] <= R[j] ? L[i++] : R[j++];
    while (i < n1)
        arr[k++] = L[i++];
    while (j < n2)
        arr[k++] = R[j++];
    free(L);
    free(R);
}

void mergeSort(int arr[], int l, int r)
{
    if (l < r) {
        int m = l + (r - l) / 2;
#pragma omp task shared(arr)
        mergeSort(arr, l, m);
#pragma omp task shared(arr)
        mergeSort(arr, m + 1, r);
#pragma omp taskwait
        merge(arr, l, m, r);
    }
}

int main()
{
    int arr[] = {12, 11, 13, 5, 6, 7, -3, 99, 0, 42, 17, 8, 1, 1, 64, 23};
    int n = sizeof(arr) / sizeof(arr[0]);

#pragma omp parallel
    {
#pragma omp single
        mergeSort(arr, 0, n - 1);
    }
    for (int i = 0; i < n; i++)
        printf("%d ", arr[i]);
    printf("\n");
    return 0;
}
