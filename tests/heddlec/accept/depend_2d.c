/* SPDX-License-Identifier: MIT */
/* construct: elements and sections of arrays of two dimensions, `a[i][j]`, `a[i:h][j:w]`
 * generated: a 2-D range with the array's row as stride */
#include <stdio.h>

#define N 24
#define B 6

static double a[N][N];

static void tile(double x[N][N], int i, int j)
{
#pragma omp parallel for
    for (int c = j; c < j + B; c++)
        for (int r = i; r < i + B; r++)
            x[r][c] += (r > 0 ? x[r - 1][c] : 1) * 0.5;
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i + 0.01 * j;
#pragma omp target parallel map(tofrom : a [0:N] [0:N])
#pragma omp single
    {
        for (int i = 0; i < N; i += B)
            for (int j = 0; j < N; j += B) {
                int above = i ? i - B : i;
#pragma omp task depend(in : a [above:B] [j:B]) depend(inout : a [i:B] [j:B])
                for (int r = i; r < i + B; r++)
                    for (int c = j; c < j + B; c++)
                        a[r][c] += (r > 0 ? a[r - 1][c] : 1) * 0.5;
            }
        for (int i = 0; i < N; i += B)
            for (int j = 0; j < N; j += B) {
                int above = i ? i - B : i;
#pragma omp task depend(in : a [above:B] [j:B]) depend(inout : a [i:B] [j:B])
                tile(a, i, j);
            }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * (i + 2 * j);
    printf("%.10g\n", sum);
    return 0;
}
