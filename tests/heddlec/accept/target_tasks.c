/* SPDX-License-Identifier: MIT */
/* construct: `target` with tasks and no `parallel`
 * generated: the target's statement is the creator */
#include <stdio.h>

int main(void)
{
    int a[8] = {0};
#pragma omp target map(tofrom : a)
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task shared(a) depend(inout : a[i])
            a[i] = 3 * i;
        }
        for (int i = 1; i < 8; i++) {
#pragma omp task shared(a) depend(in : a[i - 1]) depend(inout : a[i])
            a[i] += a[i - 1];
        }
    }
    for (int i = 0; i < 8; i++)
        printf("%d ", a[i]);
    printf("\n");
    return 0;
}
