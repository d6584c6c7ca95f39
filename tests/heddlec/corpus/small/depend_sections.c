/* SPDX-License-Identifier: MIT */
/* shows: array sections with bounds computed, in overlapping order
 * manner: blog post */
#include <stdio.h>

#define N 100
#define B 25

int main(void)
{
    static int a[N], b[N];
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i += B) {
#pragma omp task depend(out : a [i:B])
            for (int k = i; k < i + B; k++)
                a[k] = k;
#pragma omp task depend(in : a [i:B]) depend(out : b [i:B])
            for (int k = i; k < i + B; k++)
                b[k] = 2 * a[k];
        }
#pragma omp task depend(inout : b [0:B], b [B:B], b [2 * B:B], b [3 * B:B])
        for (int k = 1; k < N; k++)
            b[k] += b[k - 1];
    }
    printf("%d %d\n", b[N / 2], b[N - 1]);
    return 0;
}
