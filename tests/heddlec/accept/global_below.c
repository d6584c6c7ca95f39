/* SPDX-License-Identifier: MIT */
/* construct: a global variable read by a task and by a function that it calls
 * generated: the task has its value, the function reads it by its address */
#include <stdio.h>
int limit;
static int cut(int v) { return v > limit ? limit : v; }
int main(void)
{
    int o[8];
    limit = 3;
#pragma omp target parallel map(from : o)
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : o[i])
        o[i] = i < limit ? cut(i) : -1;
    }
    printf("%d %d\n", o[2], o[7]);
    return 0;
}
