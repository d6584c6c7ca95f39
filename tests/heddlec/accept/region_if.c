/* SPDX-License-Identifier: MIT */
/* construct: `if` on the region
 * generated: false: the region's statement runs on the host, tasks at once */
#include <stdio.h>

static void run(int *x, int n, int offload)
{
#pragma omp target parallel map(tofrom : x [0:n]) if (target : offload) num_threads(64)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : x[i])
        x[i] = x[i] * 2 + 1;
    }
}

int main(void)
{
    int x[10] = {0};
    run(x, 10, 0);
    run(x, 5, 1);
    for (int i = 0; i < 10; i++)
        printf("%d ", x[i]);
    printf("\n");
    return 0;
}
