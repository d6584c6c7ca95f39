/* SPDX-License-Identifier: MIT */
/* lu.c - LU decomposition without pivoting by blocks, as an OpenMP task program (after listing 3 of Juggler, PPoPP'18):
 * counterpart of app `lu`. Blocks of B x B numbers are stored one after the other.
 *
 *     lu [n [b]]
 *
 * The inner loops take a row of L times 16 columns of U at once, with the 16 sums in registers, as the portable bodies
 * of apps/lu_bodies.c do; so the two can be compared. */
#include "common.h"

#include <math.h>

#define PANEL 16
#define NARROW 4

static int n, b, blocks; /* numbers and blocks a side */

static size_t block_at(int i, int j) { return ((size_t)i * (size_t)blocks + (size_t)j) * (size_t)b * (size_t)b; }

/* Subtracts l[0..k) times k rows of u, which are `ld` apart, from `width` numbers of x (a constant). */
static inline void subtract(const float *l, const float *u, float *x, int ld, int k, int width)
{
    float sum[PANEL];
    for (int j = 0; j < width; j++)
        sum[j] = x[j];
    for (int i = 0; i < k; i++)
        for (int j = 0; j < width; j++)
            sum[j] -= l[i] * u[(size_t)i * (size_t)ld + (size_t)j];
    for (int j = 0; j < width; j++)
        x[j] = sum[j];
}

/* The same for up to PANEL columns. */
static inline void subtract_panel(const float *l, const float *u, float *x, int ld, int k, int columns)
{
    if (columns == PANEL)
        subtract(l, u, x, ld, k, PANEL);
    else
        for (int j = 0; j < columns; j++)
            subtract(l, u + j, x + j, ld, k, 1);
}

static inline int least(int x, int y) { return x < y ? x : y; }

static void lu0(float *a, int size)
{
    for (int k = 0; k < size; k++) {
#pragma omp parallel for
        for (int i = k + 1; i < size; i++) {
            float l = a[i * size + k] / a[k * size + k];
            a[i * size + k] = l;
            for (int j = k + 1; j < size; j++)
                a[i * size + j] -= l * a[k * size + j];
        }
    }
}

/* L X = A: columns are independent. */
static void fwd(const float *l, float *x, int size)
{
#pragma omp parallel for
    for (int panel = 0; panel < size; panel += PANEL)
        for (int i = 1; i < size; i++)
            subtract_panel(l + i * size, x + panel, x + i * size + panel, size, i, least(PANEL, size - panel));
}

/* Numbers done .. done + width - 1 (width a constant) of a row of X, with earlier panels already subtracted; the panel
 * begins at `panel`. */
static inline void solve(const float *u, float *row, int size, int panel, int done, int width)
{
    subtract(row + panel, u + panel * size + done, row + done, size, done - panel, width);
    for (int k = done; k < done + width; k++) {
        row[k] /= u[k * size + k];
        for (int j = k + 1; j < done + width; j++)
            row[j] -= row[k] * u[k * size + j];
    }
}

/* X U = A. Rows are independent, and a thread keeps its own, because static schedules of equal trip counts agree. Goes
 * through all rows panel by panel, a few columns at a time: within a row each number waits for a division. */
static void bdiv(const float *u, float *x, int size)
{
#pragma omp parallel
    for (int panel = 0; panel < size; panel += PANEL) {
        int end = least(panel + PANEL, size), done = panel;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < size; i++)
            subtract_panel(x + i * size, u + panel, x + i * size + panel, size, panel, end - panel);
        for (; done + NARROW <= end; done += NARROW) {
#pragma omp for schedule(static) nowait
            for (int i = 0; i < size; i++)
                solve(u, x + i * size, size, panel, done, NARROW);
        }
        for (; done < end; done++) {
#pragma omp for schedule(static) nowait
            for (int i = 0; i < size; i++)
                solve(u, x + i * size, size, panel, done, 1);
        }
    }
}

static void bmod(const float *left, const float *up, float *at, int size)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < size; i++)
        for (int panel = 0; panel < size; panel += PANEL)
            subtract_panel(left + i * size, up + panel, at + i * size + panel, size, size, least(PANEL, size - panel));
}

static void decompose(float *a, int nBlocks, int bSize, int rows)
{
    int kk, ii, jj;
    size_t mSize = (size_t)nBlocks * (size_t)nBlocks * (size_t)bSize;
#pragma omp target parallel map(tofrom : a [0:mSize]) private(kk, ii, jj)
    {
#pragma omp single
        for (kk = 0; kk < nBlocks; kk++) {
            size_t diag = ((size_t)kk * nBlocks + kk) * bSize;
#pragma omp task firstprivate(diag) shared(a) depend(inout : a [diag:bSize])
            lu0(&a[diag], rows);
            for (jj = kk + 1; jj < nBlocks; jj++) {
                size_t row = ((size_t)kk * nBlocks + jj) * bSize;
#pragma omp task firstprivate(diag, row) shared(a) depend(in : a [diag:bSize]) depend(inout : a [row:bSize])
                fwd(&a[diag], &a[row], rows);
            }
            for (ii = kk + 1; ii < nBlocks; ii++) {
                size_t col = ((size_t)ii * nBlocks + kk) * bSize;
#pragma omp task firstprivate(diag, col) shared(a) depend(in : a [diag:bSize]) depend(inout : a [col:bSize])
                bdiv(&a[diag], &a[col], rows);
            }
            for (ii = kk + 1; ii < nBlocks; ii++)
                for (jj = kk + 1; jj < nBlocks; jj++) {
                    size_t col = ((size_t)ii * nBlocks + kk) * bSize, row = ((size_t)kk * nBlocks + jj) * bSize;
                    size_t at = ((size_t)ii * nBlocks + jj) * bSize;
/* clang-format off */
#pragma omp task firstprivate(col, row, at) shared(a) depend(in : a[col : bSize], a[row : bSize]) \
    depend(inout : a[at : bSize])
                    /* clang-format on */
                    bmod(&a[col], &a[row], &a[at], rows);
                }
        }
    }
}

static size_t place(int r, int c) { return block_at(r / b, c / b) + (size_t)(r % b) * (size_t)b + (size_t)(c % b); }

/* Noise, with a dominant diagonal; padded to whole blocks with rows and columns of the identity. */
static void fill(float *a)
{
    for (int r = 0; r < blocks * b; r++) {
        double sum = 1.0;
        for (int c = 0; c < blocks * b; c++) {
            double v = r < n && c < n ? 2.0 * noise_unit(3, (uint64_t)r * (uint64_t)n + (uint64_t)c) - 1.0 : r == c;
            if (r < n && c < n && c != r)
                sum += fabs(v);
            a[place(r, c)] = (float)v;
        }
        if (r < n)
            a[place(r, r)] = (float)sum;
    }
}

static void answer(const float *a)
{
    double padding = (32 - n % 32) % 32, log_det = 0, sign = 1, l = 0, diag = padding, u = padding, squares = padding;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double x = (double)a[place(r, c)];
            squares += x * x;
            if (r > c) {
                l += fabs(x);
                continue;
            }
            u += fabs(x);
            if (r == c) {
                diag += x;
                log_det += log(fabs(x));
                sign = x < 0 ? -sign : sign;
            }
        }
    say_f64("logabsdet", log_det);
    say_f64("det_sign", sign);
    say_f64("sum_diag_U", diag);
    say_f64("sum_abs_U", u);
    say_f64("sum_abs_L_strict", l);
    say_f64("fro_LU_packed", sqrt(squares));
}

int main(int argc, char **argv)
{
    n = size_argument(argc, argv, 1, 960);
    b = least(size_argument(argc, argv, 2, 64), n);
    blocks = (n + b - 1) / b;
    float *a = memory(block_at(blocks, 0), sizeof *a);
    fill(a);
    double begin = omp_get_wtime();
    decompose(a, blocks, b * b, b);
    say_time(omp_get_wtime() - begin);
    answer(a);
    free(a);
    return 0;
}
