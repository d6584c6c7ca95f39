/* SPDX-License-Identifier: MIT */
/* shows: each section creates its own tasks
 * manner: tutorial */
#include <stdio.h>

int main(void)
{
    int even[10], odd[10];
#pragma omp parallel sections shared(even, odd)
    {
#pragma omp section
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(even)
            even[i] = 2 * i;
        }
#pragma omp section
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(odd)
            odd[i] = 2 * i + 1;
        }
    }
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += even[i] * odd[i];
    printf("%d\n", sum);
    return 0;
}
