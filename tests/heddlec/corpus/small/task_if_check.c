/* SPDX-License-Identifier: MIT */
/* shows: tests of `if`: an undeferred task is done before what stands behind it
 * manner: validation suite */
#include <stdio.h>

struct pair {
    int a, b;
};

int main(void)
{
    int order[6], n = 0;
    struct pair p = {1, 2};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task if (0) firstprivate(p, i) shared(order, n)
        {
            p.a += 50 + i;
            order[n++] = p.a;
        }
        order[n++] = p.a;
    }
    for (int i = 0; i < n; i++)
        printf("%d ", order[i]);
    printf("\n");
    return 0;
}
