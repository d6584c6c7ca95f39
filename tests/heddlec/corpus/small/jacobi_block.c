/* SPDX-License-Identifier: MIT */
/* shows: jacobi in row blocks with depend on neighbours' first elements, two arrays swapped
 * manner: KASTORS */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 64
#define BLOCK 16
#define STEPS 20

static void sweep(double (*to)[N], double (*from)[N], int row)
{
    for (int i = row; i < row + BLOCK; i++)
        for (int j = 0; j < N; j++)
            to[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1
                           ? from[i][j]
                           : 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(void)
{
    double(*u)[N] = calloc(N, sizeof *u), (*v)[N] = calloc(N, sizeof *v);
    for (int j = 0; j < N; j++)
        u[0][j] = 100;
#pragma omp parallel
#pragma omp single
    for (int s = 0; s < STEPS; s++) {
        for (int r = 0; r < N; r += BLOCK) {
            int above = r ? r - BLOCK : r, below = r + BLOCK < N ? r + BLOCK : r;
#pragma omp task firstprivate(r, u, v) depend(in : u[above], u[r], u[below]) depend(out : v[r])
            sweep(v, u, r);
        }
        double(*t)[N] = u;
        u = v;
        v = t;
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += u[i][j];
    printf("%.6f\n", sum);
    free(u);
    free(v);
    return 0;
}
