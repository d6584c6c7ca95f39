/* SPDX-License-Identifier: MIT */
/* shows: a threadprivate counter in tied tasks, summed by all threads
 * manner: validation suite */
#include <stdio.h>
#include <omp.h>

static int counter;
#pragma omp threadprivate(counter)

int main(void)
{
    int sum = 0;
#pragma omp parallel shared(sum)
    {
        counter = 0;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 64; i++) {
#pragma omp task
            counter++;
        }
#pragma omp critical
        sum += counter;
    }
    printf("sum = %d\n", sum);
    return sum != 64;
}
