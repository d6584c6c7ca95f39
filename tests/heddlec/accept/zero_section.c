/* SPDX-License-Identifier: MIT */
/* construct: sections of length zero, known only when the program runs
 * generated: no dependence */
#include <stdio.h>

int main(void)
{
    int x[20], n = 3;
    for (int i = 0; i < 20; i++)
        x[i] = i;
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int i = 0; i < 5; i++) {
        int len = i % 2 ? 0 : n;
#pragma omp task depend(inout : x [4 * i:len])
        for (int k = 0; k < len; k++)
            x[4 * i + k] *= 2;
    }
    for (int i = 0; i < 20; i++)
        printf("%d ", x[i]);
    printf("\n");
    return 0;
}
