/* SPDX-License-Identifier: MIT */
/* inthist.c - the integral histogram of a grey picture by tiles, an OpenMP task program: counterpart of app `inthist`.
 *
 *     inthist [n [b]]
 *
 * BINS tables: cell (k, r, c) counts the pixels of bin k in rows 0..r and columns 0..c. A task makes one tile of all
 * tables, as in sat.c. */
#include "picture.h"

#define BINS 32
#define WIDTH (256u / BINS) /* pixels 8 k .. 8 k + 7 are in bin k */

static int least(int x, int y) { return x < y ? x : y; }

/* Row r of the tile in table k: sums along the row, starting from the cell to its left; with add_up, plus the row above. */
static inline void sum_row(const uint8_t *pixels, uint32_t *table, int n, int k, int r, int left, int cols, int add_up)
{
    const size_t at = (size_t)r * (size_t)n + (size_t)left;
    const uint8_t *from = pixels + at;
    uint32_t *to = table + (size_t)k * (size_t)n * (size_t)n + at;
    const uint32_t *up = r ? to - n : NULL, low = WIDTH * (uint32_t)k;
    uint32_t run = left ? to[-1] - (up ? up[-1] : 0u) : 0u;
    if (add_up && up)
        for (int c = 0; c < cols; c++) {
            run += from[c] - low < WIDTH;
            to[c] = up[c] + run;
        }
    else
        for (int c = 0; c < cols; c++) {
            run += from[c] - low < WIDTH;
            to[c] = run;
        }
}

static void tile(const uint8_t *pixels, uint32_t *table, int n, int top, int left, int rows, int cols)
{
#pragma omp parallel
    if (omp_get_num_threads() == 1) {
        for (int k = 0; k < BINS; k++)
            for (int r = top; r < top + rows; r++) {
                int next = r + AHEAD, in = k;
                if (next >= top + rows)
                    next -= rows, in++;
                if (in < BINS && next < top + rows)
                    ask_for(table + ((size_t)in * (size_t)n + (size_t)next) * (size_t)n + (size_t)left, cols);
                sum_row(pixels, table, n, k, r, left, cols, 1);
            }
    } else {
#pragma omp for collapse(2)
        for (int k = 0; k < BINS; k++)
            for (int r = top; r < top + rows; r++)
                sum_row(pixels, table, n, k, r, left, cols, 0);
#pragma omp for collapse(2)
        for (int k = 0; k < BINS; k++)
            for (int c = left; c < left + cols; c++) {
                uint32_t *column = table + (size_t)k * (size_t)n * (size_t)n + (size_t)c;
                uint32_t run = top ? column[(size_t)(top - 1) * (size_t)n] : 0u;
                for (int r = top; r < top + rows; r++)
                    column[(size_t)r * (size_t)n] = run += column[(size_t)r * (size_t)n];
            }
    }
}

static void count(const uint8_t *pixels, uint32_t *table, int n, int b)
{
    size_t cells = (size_t)n * (size_t)n;
#pragma omp target parallel map(to : pixels [0:cells]) map(from : table [0:BINS * cells])
#pragma omp single
    for (int i = 0; i < n; i += b)
        for (int j = 0; j < n; j += b) {
            size_t at = (size_t)i * (size_t)n + (size_t)j;
            size_t above = i ? at - (size_t)b * (size_t)n : at, before = j ? at - (size_t)b : at;
#pragma omp task depend(in : table[above], table[before]) depend(inout : table[at])
            tile(pixels, table, n, i, j, least(b, n - i), least(b, n - j));
        }
}

static void say_bins(const char *key, const uint32_t *table, size_t cells, size_t at)
{
    printf("%s = [", key);
    for (int k = 0; k < BINS; k++)
        printf("%s%u", k ? ", " : "", table[(size_t)k * cells + at]);
    printf("]\n");
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 1440), b = size_argument(argc, argv, 2, 16);
    size_t cells = (size_t)n * (size_t)n, half = (size_t)(n / 2);
    uint8_t *pixels = picture_new(n);
    uint32_t *table = memory(BINS * cells, sizeof *table);
    double begin = omp_get_wtime();
    count(pixels, table, n, b);
    say_time(omp_get_wtime() - begin);
    say_bins("last_column_value_per_bin", table, cells, cells - 1);
    say_bins("mid_value_per_bin", table, cells, half * (size_t)n + half);
    say_u64("sum", table_sum(table, BINS * cells));
    free(pixels);
    free(table);
    return 0;
}
