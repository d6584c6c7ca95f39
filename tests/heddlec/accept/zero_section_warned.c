/* SPDX-License-Identifier: MIT */
/* construct: a section of length zero in the source
 * generated: dropped, with a warning
 * warns: HC112
 * gcc: no */
#include <stdio.h>

int main(void)
{
    int x[4] = {1, 2, 3, 4};
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : x [0:0]) depend(inout : x[i])
        x[i] *= 3;
    }
    printf("%d %d\n", x[0], x[3]);
    return 0;
}
