/* SPDX-License-Identifier: MIT */
/* construct: in bodies: if, switch with fall through, while, do, for, goto, labels, break, continue, return, ?:, comma
 * generated: kept as they stand; what all threads must agree on is computed by all */
#include <stdio.h>

static int collatz(int n)
{
    int steps = 0;
again:
    if (n == 1)
        return steps;
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
    goto again;
}

static int classify(int n)
{
    int r = 0, i = 0, j;
    switch (n % 5) {
    case 0: r = 1;
    case 1: r += 10; break;
    case 2: {
        int t = n;
        while (t > 3) {
            t -= 2;
            if (t == 6)
                continue;
            r++;
        }
        break;
    }
    default:
        do
            r += i;
        while (++i < n);
    }
    for (i = 0, j = n; i < j; i++, j--)
        r ^= i * j;
    return r;
}

static void phases(int *x, int n, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        int stop = 0;
        if (x[0] > 500)
            break;
        if (k % 2) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                x[i] += collatz(x[i] + i + 1);
        } else {
            x[0] += k;
            if (x[0] % 3 == 0)
                continue;
#pragma omp parallel for reduction(|| : stop)
            for (int i = 1; i < n; i++) {
                x[i] += classify(i + k);
                stop = stop || x[i] > 400;
            }
        }
        if (stop)
            return;
        x[n - 1]++;
    }
}

int main(void)
{
    int x[50];
    unsigned long sum = 0;
    for (int i = 0; i < 50; i++)
        x[i] = i + 1;
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int b = 0; b < 5; b++) {
#pragma omp task depend(inout : x [10 * b:10])
        phases(x + 10 * b, 10, 12 + b);
    }
    for (int i = 0; i < 50; i++)
        sum = sum * 3 + (unsigned long)x[i];
    printf("%lu\n", sum);
    return 0;
}
