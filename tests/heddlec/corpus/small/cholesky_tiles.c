/* SPDX-License-Identifier: MIT */
/* shows: tiled Cholesky: potrf, trsm, syrk, gemm by depend on tiles
 * manner: KASTORS and PLASMA's notes */
#include <math.h>
#include <stdio.h>

#define T 4
#define B 8
static double a[T][T][B][B];

static void potrf(double (*c)[B])
{
    for (int k = 0; k < B; k++) {
        c[k][k] = sqrt(c[k][k]);
        for (int i = k + 1; i < B; i++)
            c[i][k] /= c[k][k];
        for (int j = k + 1; j < B; j++)
            for (int i = j; i < B; i++)
                c[i][j] -= c[i][k] * c[j][k];
    }
}

static void trsm(double (*l)[B], double (*c)[B])
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) {
            for (int k = 0; k < j; k++)
                c[i][j] -= c[i][k] * l[j][k];
            c[i][j] /= l[j][j];
        }
}

static void gemm(double (*x)[B], double (*y)[B], double (*c)[B])
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < B; k++)
                c[i][j] -= x[i][k] * y[j][k];
}

static void cholesky(void)
{
    for (int k = 0; k < T; k++) {
#pragma omp task depend(inout : a[k][k])
        potrf(a[k][k]);
        for (int i = k + 1; i < T; i++) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
            trsm(a[k][k], a[i][k]);
        }
        for (int i = k + 1; i < T; i++)
            for (int j = k + 1; j <= i; j++) {
#pragma omp task depend(in : a[i][k], a[j][k]) depend(inout : a[i][j])
                gemm(a[i][k], a[j][k], a[i][j]);
            }
    }
}

int main(void)
{
    double logdet = 0;
    for (int i = 0; i < T * B; i++)
        for (int j = 0; j < T * B; j++)
            a[i / B][j / B][i % B][j % B] = i == j ? T * B : 1.0 / (1 + i + j);
#pragma omp parallel
#pragma omp single
    cholesky();
    for (int i = 0; i < T * B; i++)
        logdet += 2 * log(a[i / B][i / B][i % B][i % B]);
    printf("log determinant %.5f\n", logdet);
    return 0;
}
