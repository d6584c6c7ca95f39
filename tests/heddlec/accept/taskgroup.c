/* SPDX-License-Identifier: MIT */
/* construct: `taskgroup`
 * generated: a barrier, or a sync, at its end */
#include <stdio.h>

int main(void)
{
    int x[12] = {0}, y = 0;
#pragma omp target parallel map(tofrom : x, y)
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 12; i++) {
#pragma omp task
                x[i] = i * 5 % 7;
            }
        }
#pragma omp task shared(y)
        for (int i = 0; i < 12; i++)
            y = y * 2 + x[i];
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task
            x[0] = 50;
        }
        if (x[0] == 50) {
#pragma omp taskwait
#pragma omp task shared(y)
            y++;
        }
    }
    printf("%d %d\n", y, x[0]);
    return 0;
}
