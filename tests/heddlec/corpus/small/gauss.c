/* SPDX-License-Identifier: MIT */
/* shows: elimination: taskloop over the rows below a pivot, back substitution on the host
 * manner: numerical analysis course */
#include <math.h>
#include <stdio.h>

#define N 40

static double a[N][N + 1], x[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        a[i][N] = 0;
        for (int j = 0; j < N; j++) {
            a[i][j] = i == j ? N : 1.0 / (i + j + 1);
            a[i][N] += a[i][j] * (j + 1);
        }
    }
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < N; k++) {
#pragma omp taskloop grainsize(4) shared(a)
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j <= N; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    double error = 0;
    for (int i = N - 1; i >= 0; i--) {
        x[i] = a[i][N];
        for (int j = i + 1; j < N; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
        error = fmax(error, fabs(x[i] - (i + 1)));
    }
    printf("x[0] = %.6f, x[%d] = %.6f, %s\n", x[0], N - 1, x[N - 1], error < 1e-9 ? "right" : "wrong");
    return 0;
}
