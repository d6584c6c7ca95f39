/* SPDX-License-Identifier: MIT */
/* construct: inner `parallel` with `for` (`nowait`), `single`, `master`, `barrier`, `sections`
 * generated: statements of all threads; single and master on thread 0; a barrier where OpenMP has one */
#include <stdio.h>

static void work(int *x, int *out, int n)
{
    int shift = 0, picked[3] = {0, 0, 0};
#pragma omp parallel
    {
        int mine = 2;
#pragma omp single
        shift = x[0] + 3;
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            x[i] = x[i] * mine + shift;
#pragma omp barrier
#pragma omp master
        out[0] = x[n - 1];
#pragma omp sections
        {
#pragma omp section
            picked[0] = x[1];
#pragma omp section
            {
                picked[1] = x[2];
            }
#pragma omp section
            picked[2] = x[3];
        }
#pragma omp for
        for (int i = 0; i < n; i++)
            out[i + 1] = x[i] + picked[i % 3];
    }
#pragma omp parallel sections
    {
#pragma omp section
        x[0] = -1;
#pragma omp section
        x[1] = -2;
    }
}

int main(void)
{
    int x[60], out[63];
    unsigned long sum = 0;
    for (int i = 0; i < 60; i++)
        x[i] = i;
#pragma omp target parallel map(tofrom : x) map(from : out)
#pragma omp single
    for (int k = 0; k < 3; k++) {
#pragma omp task
        work(x + 20 * k, out + 21 * k, 20);
    }
    for (int i = 0; i < 63; i++)
        sum = sum * 3 + (unsigned long)out[i];
    printf("%lu %d %d\n", sum, x[20], x[21]);
    return 0;
}
