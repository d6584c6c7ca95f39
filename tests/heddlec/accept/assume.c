/* SPDX-License-Identifier: MIT */
/* construct: `#pragma heddle region assume(eligible)`
 * generated: what the eligibility check would refuse becomes a warning
 * warns: HC210 */
#include <stdio.h>

int main(void)
{
    int a[8] = {3, 0, 0, 0, 0, 0, 0, 0}, n = 0;
#pragma heddle region assume(eligible)
#pragma omp target parallel map(tofrom : a)
#pragma omp single
    {
#pragma omp task depend(out : a[1])
        a[1] = 5;
        n = a[0]; /* a[0] is written by no task, which the check does not see */
        for (int i = 2; i < 2 + n; i++) {
#pragma omp task depend(in : a[1]) depend(out : a[i])
            a[i] = a[1] + i;
        }
    }
    for (int i = 0; i < 8; i++)
        printf("%d ", a[i]);
    printf("\n");
    return 0;
}
