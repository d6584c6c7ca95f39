/* SPDX-License-Identifier: MIT */
/* construct: `depend(mutexinoutset)`, `depend(inoutset)`
 * generated: as inout, with a warning: more order than they ask for
 * warns: HC123
 * flags: --region=parallel */
#include <stdio.h>

int main(void)
{
    int from[4] = {5, 6, 7, 8}, sum = 0, marks[4] = {0}, after = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : from[i])
            from[i] *= i;
#pragma omp task depend(in : from[i]) depend(mutexinoutset : sum)
            sum += from[i];
        }
#pragma omp task depend(in : sum)
        after = sum + 1;
    }
    for (int i = 0; i < 4; i++)
        marks[i] += i;
    printf("%d %d %d\n", sum, after, marks[3]);
    return 0;
}
