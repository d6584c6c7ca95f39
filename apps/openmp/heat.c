/* SPDX-License-Identifier: MIT */
/* heat.c - in-place Gauss-Seidel sweeps over a field of temperatures by tiles, an OpenMP task program: counterpart of
 * `heat`.
 *
 *     heat [n [b [sweeps]]]
 *
 * Each cell becomes the mean of its four neighbours; the upper and the left one are new already. Inside a tile the
 * cells of an anti-diagonal are independent: many threads share them; one thread computes those of SKEW rows at a time. */
#include "field.h"

#define SKEW 8

static int most(int x, int y) { return x > y ? x : y; }
static int least(int x, int y) { return x < y ? x : y; }

static inline float mean(float above, float below, float right, float left)
{
    return 0.25f * (above + below + right + left);
}

/* Columns begin to end - 1 of a row. */
static inline void sweep_row(float *x, size_t n, int begin, int end)
{
    float left = x[begin - 1];
    for (int c = begin; c < end; c++)
        x[c] = left = mean(x[c - (int)n], x[c + (int)n], x[c + 1], left);
}

/* SKEW rows at once, each a column behind the row above it: as many independent cells. A triangle, then all rows in
 * step, then the remaining triangle. last[i] is the newest cell of row i. */
static inline void sweep_skewed(float *x, size_t n, int cols)
{
    float last[SKEW];
    for (int i = 0; i < SKEW; i++) {
        sweep_row(x + (size_t)i * n, n, 0, SKEW - 1 - i);
        last[i] = x[(size_t)i * n + SKEW - 2 - (size_t)i];
    }
    for (int k = SKEW - 1; k < cols; k++) {
        float below = x[SKEW * n + (size_t)(k - (SKEW - 1))];
        for (int i = SKEW - 1; i >= 0; i--) {
            float *at = x + (size_t)i * n + (k - i);
            float above = i ? last[i - 1] : at[-(int)n], right = at[1];
            at[0] = last[i] = mean(above, below, right, last[i]);
            below = right;
        }
    }
    for (int i = 1; i < SKEW; i++)
        sweep_row(x + (size_t)i * n, n, cols - i, cols);
}

/* By one thread. */
static void sweep_alone(float *x, size_t n, int rows, int cols)
{
    int r = 0;
    for (; cols >= SKEW && r + SKEW <= rows; r += SKEW) {
        for (int i = r + SKEW; i < r + 2 * SKEW && i < rows; i++)
            ask_for(x + (size_t)i * n, cols);
        sweep_skewed(x + (size_t)r * n, n, cols);
    }
    for (; r < rows; r++)
        sweep_row(x + (size_t)r * n, n, 0, cols);
}

static void sweep_tile(float *x, int n, int top, int left, int bottom, int right)
{
    const int rows = bottom - top, cols = right - left;
#pragma omp parallel
    if (omp_get_num_threads() == 1)
        sweep_alone(x + (size_t)top * (size_t)n + (size_t)left, (size_t)n, rows, cols);
    else
        for (int d = 0; d < rows + cols - 1; d++) {
            const int first = most(0, d - cols + 1), last = least(d, rows - 1);
#pragma omp for
            for (int r = first; r <= last; r++) {
                float *at = x + (size_t)(top + r) * (size_t)n + (size_t)(left + d - r);
                at[0] = mean(at[-n], at[n], at[1], at[-1]);
            }
        }
}

static void sweep(float *x, int n, int b, int sweeps)
{
    size_t cells = (size_t)n * (size_t)n;
#pragma omp target parallel map(tofrom : x [0:cells])
    {
#pragma omp master
        for (int s = 0; s < sweeps; s++)
            for (int i = 0; i < n; i += b)
                for (int j = 0; j < n; j += b) {
                    size_t at = (size_t)i * (size_t)n + (size_t)j;
                    size_t above = i ? at - (size_t)b * (size_t)n : at, before = j ? at - (size_t)b : at;
                    size_t below = i + b < n ? at + (size_t)b * (size_t)n : at,
                           behind = j + b < n ? at + (size_t)b : at;
#pragma omp task depend(in : x[above], x[before], x[below], x[behind]) depend(inout : x[at])
                    sweep_tile(x, n, most(i, 1), most(j, 1), least(i + b, n - 1), least(j + b, n - 1));
                }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 5760), b = size_argument(argc, argv, 2, 64);
    int sweeps = size_argument(argc, argv, 3, 1);
    double middle, begin;
    float *x = field_new(n, n, &middle);
    begin = omp_get_wtime();
    sweep(x, n, b, sweeps);
    say_time(omp_get_wtime() - begin);
    field_answer(x, n, n, middle);
    free(x);
    return 0;
}
