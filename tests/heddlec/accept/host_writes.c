/* SPDX-License-Identifier: MIT */
/* construct: host statements of a region that write mapped data between waits
 * generated: after a sync mapped objects are copied to the device again before the next run */
#include <stdio.h>

int main(void)
{
    int a[10], step, sum = 0;
    for (int i = 0; i < 10; i++)
        a[i] = i;
#pragma omp target parallel map(tofrom : a)
#pragma omp single
    for (step = 0; step < 3; step++) {
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : a[i])
            a[i] = 2 * a[i] + 1;
        }
#pragma omp taskwait
        a[step] += a[9 - step];
        a[9] = 0;
    }
    for (int i = 0; i < 10; i++) {
        sum = sum * 3 + a[i];
        printf("%d ", a[i]);
    }
    printf("%d\n", sum);
    return 0;
}
