/* SPDX-License-Identifier: MIT */
/* shows: longest Collatz run: taskloop with reduction(max)
 * manner: blog post */
#include <stdio.h>

int main(void)
{
    int longest = 0;
    long steps = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(max : longest) reduction(+ : steps) grainsize(64)
    for (int i = 1; i < 3000; i++) {
        long n = i;
        int len = 1;
        while (n != 1) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            len++;
        }
        steps += len;
        if (len > longest)
            longest = len;
    }
    printf("longest %d, steps %ld\n", longest, steps);
    return 0;
}
