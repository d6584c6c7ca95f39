/* SPDX-License-Identifier: MIT */
/* construct: `parallel master taskloop`, `parallel masked taskloop`, `master taskloop`, `masked taskloop`, with and without simd
 * generated: what `parallel master` (with clauses of the team and of masked) and `taskloop` in it are
 * flags: --region=parallel */
#include <stdio.h>

int main(void)
{
    int t[40] = {0}, sum = 0, last = 0, k = 2;
#pragma omp parallel master taskloop num_threads(3) grainsize(4) if (parallel                  \
                                                                     : k > 1) firstprivate(k), \
    lastprivate(last)
    for (int i = 0; i < 40; i++) {
        t[i] = i * k++;
        last = i;
        k--;
    }
#pragma omp parallel masked taskloop simd filter(0) reduction(+ : sum)
    for (int i = 0; i < 40; i++)
        sum += t[i];
#pragma omp parallel
    {
#pragma omp master taskloop num_tasks((3 + 1) * 2) collapse(2)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 8; j++)
                t[i * 8 + j]++;
#pragma omp barrier
#pragma omp masked taskloop untied shared(t)
        for (int i = 0; i < 40; i++)
            t[i] *= 3;
    }
    printf("%d %d %d %d\n", sum, last, t[39], t[3]);
    return 0;
}
