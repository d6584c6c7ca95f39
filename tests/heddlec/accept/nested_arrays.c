/* SPDX-License-Identifier: MIT */
/* construct: arrays of variable length that tasks of a task share, and in functions that those call
 * generated: memory of the frame; the stack of the worker in functions as they stand
 * warns: HC140
 * flags: --region=parallel */
#include <stdio.h>

static long helper(int n)
{
    long v[n], sum = 0;
    for (int i = 0; i < n; i++)
        v[i] = i * i;
    for (int i = 0; i < n; i++)
        sum += v[n - 1 - i] * (i + 1);
    return sum;
}

static long tree(int depth, int width)
{
    long part[width + 1], sum = 1;
    if (depth == 0)
        return helper(width);
    for (int i = 0; i < width; i++) {
#pragma omp task shared(part) firstprivate(i)
        part[i] = tree(depth - 1, width - i % 2);
    }
    part[width] = helper(3);
#pragma omp taskwait
    for (int i = 0; i <= width; i++)
        sum += part[i];
    return sum;
}

/* A new array in each round: not split. */
static long rounds(int n)
{
    long sum = 0;
    for (int k = 0; k < n; k++) {
        int two[k + 2];
        for (int i = 0; i < k + 2; i++)
            two[i] = i + k;
#pragma omp task shared(sum) firstprivate(k) depend(inout : sum)
        sum += helper(k + 1);
#pragma omp taskwait
        sum += two[k];
    }
    return sum;
}

int main(void)
{
    long r = 0, s = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(r)
        r = tree(4, 5);
#pragma omp task shared(s)
        s = tree(2, 3) + rounds(4);
    }
    printf("%ld %ld\n", r, s);
    return 0;
}
