/* SPDX-License-Identifier: MIT */
/* construct: `priority`, `if`, `final`, `mergeable`, `untied` on a task
 * generated: priority marks the task urgent; a false `if` runs all created so far and waits; the others say nothing here */
#include <stdio.h>

int main(void)
{
    int x[6] = {0}, seen = -1, n = 6;
#pragma omp target parallel map(tofrom : x, seen)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task priority(i) untied mergeable final(i > 3) depend(out : x[i])
        x[i] = i + 1;
#pragma omp task if (i != 3) depend(inout : x[i]) shared(seen)
        x[i] *= 10;
        if (i == 3)
            seen = x[3];
    }
    for (int i = 0; i < n; i++)
        printf("%d ", x[i]);
    printf("%d\n", seen);
    return 0;
}
