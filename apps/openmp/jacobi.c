/* SPDX-License-Identifier: MIT */
/* jacobi.c - Jacobi sweeps over a field of temperatures by tiles, an OpenMP task program: counterpart of app `jacobi`.
 *
 *     jacobi [n [b [sweeps]]]
 *
 * A compute and a copy task per tile and sweep. Dependences name a tile by its first cell, as tiles are the same in
 * every task. */
#include "field.h"

static void compute(int n, const float old[n][n], float next[n][n], int top, int left, int bottom, int right)
{
#pragma omp parallel for collapse(2)
    for (int r = top; r < bottom; r++)
        for (int c = left; c < right; c++)
            next[r][c] = 0.25f * (old[r - 1][c] + old[r + 1][c] + old[r][c + 1] + old[r][c - 1]);
}

static void copy(int n, const float next[n][n], float old[n][n], int top, int left, int bottom, int right)
{
#pragma omp parallel for collapse(2)
    for (int r = top; r < bottom; r++)
        for (int c = left; c < right; c++)
            old[r][c] = next[r][c];
}

static int most(int x, int y) { return x > y ? x : y; }
static int least(int x, int y) { return x < y ? x : y; }

/* Cells of the border stay as they are. */
static void sweep(int n, float old[n][n], float next[n][n], int b, int sweeps)
{
#pragma omp target parallel map(tofrom : old [0:n] [0:n]) map(alloc : next [0:n] [0:n])
#pragma omp single
    for (int s = 0; s < sweeps; s++) {
        for (int i = 0; i < n; i += b)
            for (int j = 0; j < n; j += b) {
                int top = most(i, 1), left = most(j, 1), bottom = least(i + b, n - 1), right = least(j + b, n - 1);
                int above = most(i - b, 0), below = i + b < n ? i + b : i;
                int before = most(j - b, 0), behind = j + b < n ? j + b : j;
/* clang-format off */
#pragma omp task depend(in : old[i][j], old[above][j], old[below][j], old[i][before], old[i][behind]) \
    depend(out : next[i][j])
                /* clang-format on */
                compute(n, (const float(*)[n])old, next, top, left, bottom, right);
            }
        for (int i = 0; i < n; i += b)
            for (int j = 0; j < n; j += b) {
                int top = most(i, 1), left = most(j, 1), bottom = least(i + b, n - 1), right = least(j + b, n - 1);
#pragma omp task depend(in : next[i][j]) depend(out : old[i][j])
                copy(n, (const float(*)[n])next, old, top, left, bottom, right);
            }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 1920), b = size_argument(argc, argv, 2, 64);
    int sweeps = size_argument(argc, argv, 3, 2);
    double middle, begin;
    float *old = field_new(n, n, &middle), *next = memory((size_t)n * (size_t)n, sizeof *next);
    begin = omp_get_wtime();
    sweep(n, (float(*)[n])old, (float(*)[n])next, b, sweeps);
    say_time(omp_get_wtime() - begin);
    field_answer(old, n, n, middle);
    free(old);
    free(next);
    return 0;
}
