/* SPDX-License-Identifier: MIT */
/* sat.c - the summed area table of a grey picture by tiles, as an OpenMP task program: counterpart of app `sat`.
 *
 *     sat [n [b]]
 *
 * A tile needs the tiles above and to the left. One thread takes one pass over it; several threads take two: sums along
 * rows, a row per thread, then sums down columns. */
#include "picture.h"

static int least(int x, int y) { return x < y ? x : y; }

/* Row r of the tile: sums along the row, starting from the cell to its left; with add_up, plus the row above. */
static inline void sum_row(const uint8_t *pixels, uint32_t *table, int n, int r, int left, int cols, int add_up)
{
    const uint8_t *from = pixels + (size_t)r * (size_t)n;
    uint32_t *to = table + (size_t)r * (size_t)n;
    const uint32_t *up = to - (r ? n : 0);
    uint32_t run = left ? to[left - 1] - (r ? up[left - 1] : 0u) : 0u;
    if (add_up && r)
        for (int c = left; c < left + cols; c++)
            to[c] = up[c] + (run += from[c]);
    else
        for (int c = left; c < left + cols; c++)
            to[c] = run += from[c];
}

static void tile(const uint8_t *pixels, uint32_t *table, int n, int top, int left, int rows, int cols)
{
#pragma omp parallel
    if (omp_get_num_threads() == 1) {
        for (int r = top; r < top + rows; r++) {
            if (r + AHEAD < top + rows)
                ask_for(table + (size_t)(r + AHEAD) * (size_t)n + (size_t)left, cols);
            sum_row(pixels, table, n, r, left, cols, 1);
        }
    } else {
#pragma omp for
        for (int r = top; r < top + rows; r++)
            sum_row(pixels, table, n, r, left, cols, 0);
#pragma omp for
        for (int c = left; c < left + cols; c++) {
            uint32_t run = top ? table[(size_t)(top - 1) * (size_t)n + (size_t)c] : 0u;
            for (int r = top; r < top + rows; r++)
                table[(size_t)r * (size_t)n + (size_t)c] = run += table[(size_t)r * (size_t)n + (size_t)c];
        }
    }
}

static void sum_up(const uint8_t *pixels, uint32_t *table, int n, int b)
{
    size_t cells = (size_t)n * (size_t)n;
#pragma omp target map(to : pixels [0:cells]) map(from : table [0:cells])
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i += b)
        for (int j = 0; j < n; j += b) {
            size_t at = (size_t)i * (size_t)n + (size_t)j;
            size_t above = i ? at - (size_t)b * (size_t)n : at, before = j ? at - (size_t)b : at;
#pragma omp task depend(in : table[above], table[before]) depend(inout : table[at])
            tile(pixels, table, n, i, j, least(b, n - i), least(b, n - j));
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 5760), b = size_argument(argc, argv, 2, 64);
    uint8_t *pixels = picture_new(n);
    uint32_t *table = memory((size_t)n * (size_t)n, sizeof *table);
    const int at[5][2] = {{0, 0}, {n / 3, n / 4}, {n / 2, n - 1}, {n - 1, n / 2}, {n - 1, n - 1}};
    double begin = omp_get_wtime();
    sum_up(pixels, table, n, b);
    say_time(omp_get_wtime() - begin);
    printf("points_[row,col,value] = [");
    for (int p = 0; p < 5; p++)
        printf("%s[%d, %d, %u]", p ? ", " : "", at[p][0], at[p][1],
               table[(size_t)at[p][0] * (size_t)n + (size_t)at[p][1]]);
    printf("]\n");
    say_u64("sum_mod_2^64", table_sum(table, (size_t)n * (size_t)n));
    free(pixels);
    free(table);
    return 0;
}
