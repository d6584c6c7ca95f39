/* SPDX-License-Identifier: MIT */
/* construct: arrays of variable length: parameters `a[n][m]`, pointers `double (*a)[n]`, in depend and map, locals of bodies
 * generated: flat indexing with bounds that travel in the record; locals on the thread's or the block's stack */
#include <stdio.h>
#include <stdlib.h>

static void step(int n, int m, const double in[n][m], double out[n][m], int r)
{
    double left[m];
#pragma omp parallel for
    for (int c = 0; c < m; c++)
        left[c] = c ? in[r][c - 1] : 0;
#pragma omp parallel for
    for (int c = 0; c < m; c++) {
        double tmp[c % 3 + 1];
        for (int k = 0; k <= c % 3; k++)
            tmp[k] = left[c] + k;
        out[r][c] = (r ? in[r - 1][c] : 1) + tmp[c % 3] + sizeof(left) / sizeof(left[0]);
    }
}

static double row_sum(int m, const double *row)
{
    double s = 0;
    for (int c = 0; c < m; c++)
        s += row[c];
    return s;
}

static void run(int n, int m, double (*a)[m], double b[n][m], double *sums)
{
#pragma omp target parallel map(tofrom : a [0:n] [0:m]) map(from : b [0:n] [0:m], sums [0:n])
#pragma omp single
    for (int r = 0; r < n; r++) {
        int above = r ? r - 1 : r;
#pragma omp task depend(in : a[above] [0:m], a[r] [0:m]) depend(out : b[r] [0:m])
        step(n, m, (const double(*)[m])a, b, r);
#pragma omp task depend(in : b[r] [0:m])
        sums[r] = row_sum(m, b[r]);
    }
}

int main(void)
{
    int n = 9, m = 13;
    double(*a)[m] = malloc(sizeof(double[n][m])), *b = malloc(n * m * sizeof *b), sums[9];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * 0.5 + j;
    run(n, m, a, (double(*)[m])b, sums);
    for (int i = 0; i < n; i++)
        printf("%g ", sums[i]);
    printf("\n");
    free(a);
    free(b);
    return 0;
}
