/* SPDX-License-Identifier: MIT */
/* construct: sections of three dimensions
 * generated: a 2-D range a plane of the section
 * gcc: no, it compares first bytes only, and these sections overlap */
#include <stdio.h>

static int v[6][5][8];

static void fill(int k)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 8; j++)
            v[k][i][j] += 100 * k + 10 * i + j;
}

static void smooth(int k)
{
#pragma omp parallel for
    for (int i = 1; i < 4; i++)
        for (int j = 2; j < 6; j++)
            v[k][i][j] += v[k - 1][i][j];
}

int main(void)
{
    long sum = 0;
#pragma omp target parallel map(tofrom : v)
#pragma omp single
    {
        for (int k = 0; k < 6; k++) {
#pragma omp task depend(inout : v [k:1] [0:5] [0:8])
            fill(k);
        }
        for (int k = 1; k < 6; k++) {
#pragma omp task depend(in : v [k - 1:1] [1:3] [2:4]) depend(inout : v [k:1] [1:3] [2:4])
            smooth(k);
        }
    }
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 8; j++)
                sum += (long)v[k][i][j] * (k + i * j);
    printf("%ld\n", sum);
    return 0;
}
