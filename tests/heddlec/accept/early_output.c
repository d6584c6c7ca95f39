/* SPDX-License-Identifier: MIT */
/* construct: output in the region while tasks are pending
 * generated: stays where it is, before the tasks run, with a warning
 * warns: HC230 */
#include <stdio.h>

int main(void)
{
    int x[4];
#pragma omp target parallel map(from : x)
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : x[i])
            x[i] = i;
        }
        printf("created\n");
    }
    printf("%d\n", x[3]);
    return 0;
}
