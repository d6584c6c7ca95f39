/* SPDX-License-Identifier: MIT */
/* shows: a variable-length array copied into tasks while its owner changes it
 * manner: validation suite */
#include <stdio.h>

static long sum(int n, int rounds)
{
    int v[n];
    long sums[rounds];
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp parallel
#pragma omp single
    for (int r = 0; r < rounds; r++) {
#pragma omp task firstprivate(v, r) shared(sums)
        {
            sums[r] = 0;
            for (int i = 0; i < n; i++)
                sums[r] += v[i];
        }
        for (int i = 0; i < n; i++)
            v[i]++;
    }
    long s = 0;
    for (int r = 0; r < rounds; r++)
        s = 10 * s + sums[r] % 7;
    return s;
}

int main(void)
{
    printf("%ld %ld\n", sum(10, 5), sum(13, 6));
    return 0;
}
