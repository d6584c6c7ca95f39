/* SPDX-License-Identifier: MIT */
/* sw.c - Smith-Waterman of two sequences by tiles, linear gaps, as an OpenMP task program: counterpart of app `sw`.
 *
 *     sw [n [b]]
 *
 * Tiles and diagonals as in dtw.c. Cells are 16-bit differences from the tile's corner, which vectors compute fast:
 * neighbours differ by at most MATCH - GAP. Diagonals are computed in whole groups of PAD cells; `counts` is 0 beyond
 * the end, because no sum with the padding of the weights is above 0. Each thread takes a stretch of a diagonal. It
 * searches the stretch for the best cells only if one is as good as the best so far in this row of tiles, which is
 * rare. */
#include "common.h"

#define MAX_BLOCK 64
#define PAD 8
#define MATCH 2
#define MISMATCH -1
#define GAP -1
#define PERIOD 8191u
#define WEIGHTS 1009u
#define PLACES (1ull << 40) /* more than there are cells */

/* Over the cells seen so far; n_best of them have the best score, and `first`, row * n + column, is the first one. */
typedef struct sums {
    uint64_t sum, weighted, n_best;
    int64_t first;
    int32_t best;
} sums;

/* Working memory of a tile. */
typedef struct block {
    int16_t diagonal[3][MAX_BLOCK + 2 * PAD], left[MAX_BLOCK + 2 * PAD], top[MAX_BLOCK + PAD];
    int16_t xs[MAX_BLOCK + PAD], ys[MAX_BLOCK + PAD], row_weight[MAX_BLOCK + PAD], col_weight[MAX_BLOCK + PAD];
} block;

/* A tile: its first cell, its size, the base subtracted from its cells, and the side of the matrix. */
typedef struct place {
    int i, j, h, w;
    int32_t base;
    int n;
} place;

static inline int least(int x, int y) { return x < y ? x : y; }
static inline int most(int x, int y) { return x > y ? x : y; }
static inline int16_t larger(int16_t a, int16_t b) { return a > b ? a : b; }

static void add(sums *to, const sums *more)
{
    to->sum += more->sum;
    to->weighted += more->weighted;
    if (more->n_best == 0 || more->best < to->best)
        return;
    if (more->best > to->best)
        to->n_best = 0;
    to->first = to->n_best == 0 || more->first < to->first ? more->first : to->first;
    to->best = more->best;
    to->n_best += more->n_best;
}

static void enter(block *b, const int16_t *x, const int16_t *y, const int32_t *row, const int32_t *column, place p)
{
#pragma omp parallel for
    for (int i = 0; i < p.h; i++) {
        b->left[i + 1] = (int16_t)(column[i] - p.base);
        b->xs[i] = x[i];
        b->row_weight[i] = (int16_t)((unsigned)(p.i + i + 1) % PERIOD * 31u % WEIGHTS + 1u);
    }
#pragma omp parallel for
    for (int j = 0; j < p.w; j++) {
        b->top[j] = (int16_t)(row[j] - p.base);
        b->ys[p.w - 1 - j] = y[j];
        b->col_weight[p.w - 1 - j] = (int16_t)((unsigned)(p.j + j + 1) % PERIOD * 17u % WEIGHTS);
    }
    for (int pad = 0; pad < PAD; pad++) {
        b->xs[p.h + pad] = b->ys[p.w + pad] = 0;
        b->row_weight[p.h + pad] = b->col_weight[p.w + pad] = INT16_MIN / 2;
    }
    b->diagonal[1][0] = 0;
    b->diagonal[2][0] = (int16_t)(row[0] - p.base);
    b->diagonal[2][1] = (int16_t)(column[0] - p.base);
}

/* Cells begin to end - 1 of diagonal k; the first is in row `first`. */
static void look(const int16_t *cells, sums *found, int begin, int end, int first, int k, place p)
{
    for (int l = begin; l < end; l++) {
        int32_t cell = p.base + cells[l];
        int64_t at = (int64_t)(p.i + first + l) * p.n + (p.j + k - first - l);
        if (cell < found->best)
            continue;
        if (cell > found->best)
            found->n_best = 0;
        found->first = found->n_best == 0 || at < found->first ? at : found->first;
        found->best = cell;
        found->n_best++;
    }
}

/* Thread `me`'s stretch of diagonal k. */
static void compute(block *b, sums *found, int me, int threads, int k, place p)
{
    const int first = most(0, k - p.w + 1), n = least(k + 1, p.h) - first, at = p.w - 1 - k + first;
    const int16_t *x = b->xs + first, *y = b->ys + at, *wx = b->row_weight + first, *wy = b->col_weight + at;
    const int16_t *up = b->diagonal[(k + 2) % 3] + first, *both = b->diagonal[(k + 1) % 3] + first;
    const int16_t zero = (int16_t)(p.base < INT16_MAX ? -p.base : -INT16_MAX);
    int16_t *to = b->diagonal[k % 3] + first + 1, largest = -INT16_MAX;
    int32_t sum = 0, weighted = 0, weights = 0;
    const int cells = (n + PAD - 1) / PAD * PAD, begin = cells * me / threads, end = cells * (me + 1) / threads;
    for (int l = begin; l < end; l++) {
        int16_t from_both = (int16_t)(both[l] + (x[l] == y[l] ? MATCH : MISMATCH));
        int16_t from_one = (int16_t)(larger(up[l], up[l + 1]) + GAP);
        int16_t cell = larger(larger(from_both, from_one), zero);
        int16_t weight = larger((int16_t)(wx[l] + wy[l]), 0);
        int16_t counts = weight < 1 ? weight : 1;
        weight = (int16_t)(weight - (weight > (int16_t)WEIGHTS ? (int16_t)WEIGHTS : 0));
        to[l] = cell;
        cell = (int16_t)(cell * counts);
        sum += cell * counts;
        weighted += cell * weight;
        weights += weight * counts;
        largest = larger(largest, cell);
    }
    if (largest + p.base >= found->best)
        look(to, found, begin, least(end, n), first, k, p);
    found->sum += (uint64_t)(int64_t)sum;
    found->weighted += (uint64_t)((int64_t)weighted + (int64_t)p.base * weights);
}

/* Adds the borders' cells of diagonal k at its ends, and saves the tile's own borders from the one before. */
static void turn(block *b, int k, place p)
{
    const int16_t *before = b->diagonal[(k + 2) % 3];
    int16_t *now = b->diagonal[k % 3];
    if (k + 1 < p.w)
        now[0] = b->top[k + 1];
    if (k + 1 < p.h)
        now[k + 2] = b->left[k + 2];
    if (k >= p.h)
        b->top[k - p.h] = before[p.h];
    if (k >= p.w)
        b->left[k - p.w + 1] = before[k - p.w + 1];
}

/* Orders cells: a higher score first, then an earlier position. */
static uint64_t key_of(const sums *found)
{
    return (uint64_t)found->best * PLACES + (PLACES - 1 - (uint64_t)found->first);
}

static void tile(const int16_t *x, const int16_t *y, int32_t *row, int32_t *column, int32_t *corner, sums *of, int i,
                 int j, int h, int w, int n)
{
    const place p = {i, j, h, w, *corner, n};
    const int32_t next_corner = row[w - 1];
    sums all = {(uint64_t)p.base * (uint64_t)h * (uint64_t)w, 0, 0, 0, 0};
    uint64_t sum = 0, weighted = 0, n_best = 0, key = 0;
    block b;
    enter(&b, x, y, row, column, p);
#pragma omp parallel
    {
        sums found = {0, 0, 0, 0, of->best};
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        for (int k = 0; k < h + w; k++) {
            if (k < h + w - 1)
                compute(&b, &found, me, threads, k, p);
#pragma omp barrier
#pragma omp single
            turn(&b, k, p);
        }
        /* An iteration per thread: each contributes its results. */
#pragma omp for schedule(static) reduction(+ : sum, weighted) reduction(max : key)
        for (int t = 0; t < threads; t++) {
            sum += found.sum;
            weighted += found.weighted;
            key = found.n_best && key_of(&found) > key ? key_of(&found) : key;
        }
#pragma omp for schedule(static) reduction(+ : n_best)
        for (int t = 0; t < threads; t++)
            n_best += found.best == (int32_t)(key / PLACES) ? found.n_best : 0;
    }
    all.sum += sum;
    all.weighted = weighted;
    all.n_best = n_best;
    all.first = (int64_t)(PLACES - 1 - key % PLACES);
    all.best = (int32_t)(key / PLACES);
    add(of, &all);
#pragma omp parallel for
    for (int r = 0; r < h; r++)
        column[r] = p.base + b.left[r + 1];
#pragma omp parallel for
    for (int c = 0; c < w; c++)
        row[c] = p.base + b.top[c];
    *corner = next_corner;
}

static void align(const int16_t *x, const int16_t *y, int32_t *row, int32_t *column, int32_t *corner, sums *of, int n,
                  int b, int blocks)
{
/* clang-format off */
#pragma omp target parallel map(to : x[0 : n], y[0 : n], column[0 : n], corner[0 : blocks]) \
    map(tofrom : row[0 : n], of[0 : blocks])
/* clang-format on */
#pragma omp single
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < blocks; j++) {
            int h = least(b, n - i * b), w = least(b, n - j * b);
#pragma omp task depend(inout : row [j * b:w], column [i * b:h])
            tile(x + i * b, y + j * b, row + j * b, column + i * b, corner + i, of + i, i * b, j * b, h, w, n);
        }
}

/* A random sequence of ACGT, and a copy in which one letter in 8 is redrawn, one in 32 left out, one doubled. */
static void make_sequences(int16_t *x, int16_t *y, uint64_t n)
{
    uint64_t from = 0;
    for (uint64_t k = 0; k < n; k++)
        x[k] = "ACGT"[noise_u64(1, k) % 4];
    for (uint64_t k = 0; k < n; k++) {
        uint64_t r = noise_u64(2, k);
        y[k] = r % 8 ? x[from % n] : (int16_t) "ACGT"[r / 8 % 4];
        from += r / 32 % 32 == 0 ? 2 : r / 32 % 32 == 1 ? 0 : 1;
    }
}

static void answer(const sums *of, int n, int blocks)
{
    sums all = {0, 0, 0, 0, 0};
    for (int i = 0; i < blocks; i++)
        add(&all, &of[i]);
    printf("na = %d\nnb = %d\nmatch = %d\nmismatch = %d\ngap = %d\n", n, n, MATCH, MISMATCH, GAP);
    say_i64("best", all.best);
    say_i64("end_i", all.first / n + 1);
    say_i64("end_j", all.first % n + 1);
    say_u64("n_best_cells", all.n_best);
    say_u64("sum_H", all.sum);
    say_u64("wsum_H", all.weighted);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 4608), b = least(size_argument(argc, argv, 2, 64), least(n, MAX_BLOCK));
    int blocks = (n + b - 1) / b;
    int16_t *x = memory((size_t)n, sizeof *x), *y = memory((size_t)n, sizeof *y);
    int32_t *row = memory((size_t)n, sizeof *row), *column = memory((size_t)n, sizeof *column);
    int32_t *corner = memory((size_t)blocks, sizeof *corner);
    sums *of = memory((size_t)blocks, sizeof *of);
    make_sequences(x, y, (uint64_t)n);
    double begin = omp_get_wtime();
    align(x, y, row, column, corner, of, n, b, blocks);
    say_time(omp_get_wtime() - begin);
    answer(of, n, blocks);
    free(x);
    free(y);
    free(row);
    free(column);
    free(corner);
    free(of);
    return 0;
}
