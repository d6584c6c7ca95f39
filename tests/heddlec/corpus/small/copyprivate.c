/* SPDX-License-Identifier: MIT */
/* shows: single with copyprivate beside a single with tasks, a barrier, a reduction by all
 * manner: university course */
#include <stdio.h>

int main(void)
{
    int n, v[40], sum = 0;
#pragma omp parallel private(n) reduction(+ : sum)
    {
#pragma omp single copyprivate(n)
        n = 40;
#pragma omp single
        for (int i = 0; i < n; i++) {
#pragma omp task shared(v)
            v[i] = i;
        }
#pragma omp for
        for (int i = 0; i < n; i++)
            sum += v[i];
    }
    printf("%d\n", sum);
    return 0;
}
