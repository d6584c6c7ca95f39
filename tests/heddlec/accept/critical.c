/* SPDX-License-Identifier: MIT */
/* construct: `critical`, with and without a name, inside and outside inner regions
 * generated: a lock word of the device a name, taken by one thread at a time */
#include <stdio.h>

static void count(const int *x, int n, int *hist, int *total)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical(histogram)
        hist[x[i] % 5]++;
    }
#pragma omp critical
    {
        *total += n;
    }
}

int main(void)
{
    int x[400], hist[5] = {0}, total[1] = {0};
    for (int i = 0; i < 400; i++)
        x[i] = i * i;
#pragma omp target parallel map(to : x) map(tofrom : hist, total)
#pragma omp single
    for (int k = 0; k < 8; k++) {
#pragma omp task
        count(x + 50 * k, 50, hist, total);
    }
    for (int i = 0; i < 5; i++)
        printf("%d ", hist[i]);
    printf("%d\n", total[0]);
    return 0;
}
