/* SPDX-License-Identifier: MIT */
/* construct: `map(p)` of a pointer without a section
 * generated: nothing is mapped by it, with a warning
 * warns: HC107 */
#include <stdio.h>

static int store[8];

int main(void)
{
    int *p = store;
#pragma omp target parallel map(tofrom : store) map(to : p)
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : store[i])
        store[i] = 3 * i;
    }
    printf("%d %d\n", p[1], p[7]);
    return 0;
}
