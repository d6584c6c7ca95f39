/* SPDX-License-Identifier: MIT */
/* shows: all shortest paths, a task a band of rows, one taskwait a step
 * manner: graph algorithms course */
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>

#define INF (INT_MAX / 4)

int main(void)
{
    int n = 30;
    int **d = malloc(n * sizeof(int *));
    for (int i = 0; i < n; i++) {
        d[i] = malloc(n * sizeof(int));
        for (int j = 0; j < n; j++)
            d[i][j] = i == j ? 0 : (i * 5 + j * 11) % 7 == 0 ? (i + j) % 9 + 1 : INF;
    }
#pragma omp parallel shared(d, n)
#pragma omp single
    for (int k = 0; k < n; k++) {
        for (int band = 0; band < n; band += 8) {
#pragma omp task firstprivate(k, band) shared(d, n)
            for (int i = band; i < band + 8 && i < n; i++) {
                if (i == k)
                    continue;
                for (int j = 0; j < n; j++)
                    if (d[i][k] + d[k][j] < d[i][j])
                        d[i][j] = d[i][k] + d[k][j];
            }
        }
#pragma omp taskwait
    }
    long sum = 0, open = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (d[i][j] < INF)
                sum += d[i][j];
            else
                open++;
        free(d[i]);
    }
    free(d);
    printf("sum of distances %ld, %ld pairs apart\n", sum, open);
    return 0;
}
