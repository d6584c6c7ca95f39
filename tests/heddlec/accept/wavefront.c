/* SPDX-License-Identifier: MIT */
/* construct: many tasks: a wavefront of 90000
 * generated: one graph, one run */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 300;
    uint32_t *a = calloc((size_t)(n * n), sizeof *a);
    uint64_t sum = 0;
    a[0] = 1;
#pragma omp target parallel map(tofrom : a [0:n * n])
#pragma omp single
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = i * n + j, up = i ? at - n : at, left = j ? at - 1 : at;
#pragma omp task depend(in : a[up], a[left]) depend(inout : a[at])
            a[at] += (up != at ? a[up] : 0) + 3 * (left != at ? a[left] : 0);
        }
    for (int k = 0; k < n * n; k++)
        sum = sum * 31 + a[k];
    printf("%llu\n", (unsigned long long)sum);
    free(a);
    return 0;
}
