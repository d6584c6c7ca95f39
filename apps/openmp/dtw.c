/* SPDX-License-Identifier: MIT */
/* dtw.c - dynamic time warping of two signals by tiles, as an OpenMP task program: counterpart of app `dtw`.
 *
 *     dtw [n [b]]
 *
 * Of the n x n matrix one row and one column are kept; a tile loads its borders from them and stores its own in their
 * place. Inside a tile the cells of an anti-diagonal are independent. Three diagonals are live at a time, the cell of
 * row i in slot i + 1; slots beyond the ends hold the borders' cells. y is stored backwards, so a diagonal reads both
 * signals forwards. */
#include "common.h"

#define MAX_BLOCK 64
#define OUTSIDE (INT32_MAX - UINT16_MAX)

typedef struct sums {
    uint64_t sum;
    int32_t max;
} sums;

/* Working memory of a tile. */
typedef struct block {
    int32_t diagonal[3][MAX_BLOCK + 2], left[MAX_BLOCK + 2], top[MAX_BLOCK];
    int32_t xs[MAX_BLOCK], ys[MAX_BLOCK];
} block;

static inline int least(int x, int y) { return x < y ? x : y; }
static inline int most(int x, int y) { return x > y ? x : y; }

static void enter(block *b, const int16_t *x, const int16_t *y, const int32_t *row, const int32_t *column,
                  int32_t corner, int h, int w)
{
#pragma omp parallel for
    for (int i = 0; i < h; i++) {
        b->left[i + 1] = column[i];
        b->xs[i] = x[i];
    }
#pragma omp parallel for
    for (int j = 0; j < w; j++) {
        b->top[j] = row[j];
        b->ys[w - 1 - j] = y[j];
    }
    b->diagonal[1][0] = corner;
    b->diagonal[2][0] = row[0];
    b->diagonal[2][1] = column[0];
}

/* Adds the borders' cells of diagonal k at its ends, and saves the tile's own borders from the one before. */
static void turn(block *b, int k, int h, int w)
{
    const int32_t *before = b->diagonal[(k + 2) % 3];
    int32_t *now = b->diagonal[k % 3];
    if (k + 1 < w)
        now[0] = b->top[k + 1];
    if (k + 1 < h)
        now[k + 2] = b->left[k + 2];
    if (k >= h)
        b->top[k - h] = before[h];
    if (k >= w)
        b->left[k - w + 1] = before[k - w + 1];
}

static void tile(const int16_t *x, const int16_t *y, int32_t *row, int32_t *column, int32_t *corner, sums *out, int h,
                 int w)
{
    const int32_t next_corner = row[w - 1];
    uint64_t sum = 0;
    int32_t max = 0;
    block t;
    enter(&t, x, y, row, column, *corner, h, w);
#pragma omp parallel reduction(+ : sum) reduction(max : max)
    for (int k = 0; k < h + w; k++) {
        const int first = most(0, k - w + 1), n = least(k + 1, h) - first;
        const int32_t *a = t.xs + first, *b = t.ys + w - 1 - k + first;
        const int32_t *up = t.diagonal[(k + 2) % 3] + first, *both = t.diagonal[(k + 1) % 3] + first;
        int32_t *to = t.diagonal[k % 3] + first + 1;
        if (k < h + w - 1) {
#pragma omp for
            for (int l = 0; l < n; l++) {
                int32_t difference = a[l] - b[l];
                int32_t cell = up[l] < up[l + 1] ? up[l] : up[l + 1];
                cell = (both[l] < cell ? both[l] : cell) + (difference < 0 ? -difference : difference);
                to[l] = cell;
                sum += (uint32_t)cell;
                max = cell > max ? cell : max;
            }
        }
#pragma omp single
        turn(&t, k, h, w);
    }
#pragma omp parallel for
    for (int i = 0; i < h; i++)
        column[i] = t.left[i + 1];
#pragma omp parallel for
    for (int j = 0; j < w; j++)
        row[j] = t.top[j];
    *corner = next_corner;
    out->sum = sum;
    out->max = max;
}

/* A beat begins somewhere in the first quarter of each 320 samples: a spike of 8 samples, a hump 60 later. */
static int16_t made_up(uint64_t seed, uint64_t k)
{
    uint64_t jitter = noise_u64(seed, UINT64_MAX / 2 + k / 320) % 80;
    int64_t at = (int64_t)(k % 320) - (int64_t)jitter;
    int64_t spike = at >= 0 && at < 8 ? 40 * (at < 4 ? at : 8 - at) : 0;
    int64_t hump = at > 60 && at < 140 ? (at - 60) * (140 - at) / 20 : 0;
    return (int16_t)(960 + (int64_t)(noise_u64(seed, k) % 16) + spike + hump);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 4608), b = least(size_argument(argc, argv, 2, 64), least(n, MAX_BLOCK));
    int blocks = (n + b - 1) / b, tiles = blocks * blocks;
    int16_t *x = memory((size_t)n, sizeof *x), *y = memory((size_t)n, sizeof *y);
    int32_t *row = memory((size_t)n, sizeof *row), *column = memory((size_t)n, sizeof *column);
    int32_t *corner = memory((size_t)blocks, sizeof *corner);
    sums *of = memory((size_t)tiles, sizeof *of), all = {0, 0};
    for (int i = 0; i < n; i++) {
        x[i] = made_up(1, (uint64_t)i);
        y[i] = made_up(2, (uint64_t)i);
        row[i] = column[i] = OUTSIDE;
    }
    for (int i = 1; i < blocks; i++)
        corner[i] = OUTSIDE;
    double begin = omp_get_wtime();
/* clang-format off */
#pragma omp target parallel map(to : x[0 : n], y[0 : n], column[0 : n], corner[0 : blocks]) \
    map(tofrom : row[0 : n]) map(from : of[0 : tiles])
/* clang-format on */
#pragma omp single
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < blocks; j++) {
            int h = least(b, n - i * b), w = least(b, n - j * b);
#pragma omp task depend(inout : row [j * b:w], column [i * b:h])
            tile(x + i * b, y + j * b, row + j * b, column + i * b, corner + i, of + i * blocks + j, h, w);
        }
    say_time(omp_get_wtime() - begin);
    for (int t = 0; t < tiles; t++) {
        all.sum += of[t].sum;
        all.max = of[t].max > all.max ? of[t].max : all.max;
    }
    printf("x_off = 0\ny_off = 0\nn = %d\nm = %d\n", n, n);
    say_i64("dtw", row[n - 1]);
    say_u64("sum_D", all.sum);
    say_i64("max_D", all.max);
    free(x);
    free(y);
    free(row);
    free(column);
    free(corner);
    free(of);
    return 0;
}
