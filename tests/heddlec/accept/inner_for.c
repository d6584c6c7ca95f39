/* SPDX-License-Identifier: MIT */
/* construct: inner `parallel for`: `collapse`, `schedule`, `private`, `firstprivate`, `lastprivate`, `num_threads`, `if`
 * generated: the threads of a block share the iterations, a barrier before and after; schedule and num_threads are hints */
#include <stdio.h>

static void body(int *x, int n, int *last)
{
    int t = 5, seed = 3, end = -1, i, j;
#pragma omp parallel for schedule(static, 4) private(t) firstprivate(seed) lastprivate(end)
    for (i = 0; i < n; i++) {
        t = i * seed;
        x[i] = t + 1;
        end = x[i];
    }
    *last = end + t;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(3)
    for (i = 0; i < n / 10; i++)
        for (j = 9; j >= 0; j--)
            x[i * 10 + j] += i - j;
#pragma omp parallel for schedule(guided, 2) if (n > 1000)
    for (i = n - 1; i > 0; i -= 3)
        x[i] ^= 5;
#pragma omp parallel for schedule(auto)
    for (i = 1; i <= n - 1; i = i + 2)
        x[i]++;
#pragma omp parallel for schedule(runtime) collapse(3)
    for (int a = 0; a < 2; a++)
        for (int b = 0; b != 3; b++)
            for (int c = 0; c < n / 6; ++c)
                x[(a * 3 + b) * (n / 6) + c] -= a + b + c;
}

int main(void)
{
    int x[120], last[2];
    unsigned long sum = 0;
#pragma omp target parallel map(from : x, last)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(out : x [60 * i:60])
        body(x + 60 * i, 60, last + i);
    }
    for (int i = 0; i < 120; i++)
        sum = sum * 3 + (unsigned long)x[i];
    printf("%lu %d %d\n", sum, last[0], last[1]);
    return 0;
}
