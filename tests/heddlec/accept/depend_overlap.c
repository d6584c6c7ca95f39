/* SPDX-License-Identifier: MIT */
/* construct: array sections that overlap partly
 * generated: ranges are compared as sections of bytes (--depend=overlap); start addresses or equal sections with --depend=start|exact
 * gcc: no */
#include <stdio.h>

static void bump(int *x, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = 3 * x[i] + 1;
}

int main(void)
{
    int x[64];
    unsigned long sum = 0;
    for (int i = 0; i < 64; i++)
        x[i] = i;
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int round = 0; round < 3; round++)
        for (int i = 0; i + 12 <= 64; i += 5) {
#pragma omp task depend(inout : x [i:12])
            bump(x + i, 12);
        }
    for (int i = 0; i < 64; i++)
        sum = sum * 31 + (unsigned)x[i];
    printf("%lu\n", sum);
    return 0;
}
