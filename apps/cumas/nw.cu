/* SPDX-License-Identifier: MIT */
/* nw.cu - global alignment of two sequences by the recurrence of Needleman and Wunsch. The matrix consists of tiles, 256 x 256
 * at the table's size. A launch computes a diagonal of tiles, a block a tile, in which a thread has a row and is one column
 * behind the thread above. */
#include "program.h"

#include "noise.h"

#include <math.h>
#include <string.h>

#define SIDE 45    /* of a tile */
#define THREADS 64 /* of a block */
#define GAP 4
#define LETTERS 20

static int n_tiles, n; /* a side; letters of a sequence */
static int *alike;     /* n x n: what it brings to pair letter y of one sequence with letter x of the other */
static int *border;    /* (n + 1) x (n + 1): first row and column are given, the rest is 0 */
static int *score, *device_alike, *device_score;
static uint8_t *letters; /* of both sequences */

static __global__ void align(const int *pair, int *score_of, int n_all, int first_x, int first_y, uint32_t steps)
{
    __shared__ int s[SIDE + 1][SIDE + 1], likeness[SIDE][SIDE];
    const int me = (int)threadIdx.x, left = (first_x + (int)blockIdx.x) * SIDE,
              top = (first_y - (int)blockIdx.x) * SIDE;
    const int64_t pitch = n_all + 1;
    int *corner = score_of + top * pitch + left;
    program_lengthen(steps);
    if (me < SIDE) {
        s[0][me + 1] = corner[me + 1];
        s[me + 1][0] = corner[(me + 1) * pitch];
    }
    if (me == 0)
        s[0][0] = corner[0];
    for (int y = 0; y < SIDE; y++)
        if (me < SIDE)
            likeness[y][me] = pair[(int64_t)(top + y) * n_all + left + me];
    for (int step = 0; step < 2 * SIDE - 1; step++) {
        const int x = step - me;
        __syncthreads();
        if (me < SIDE && x >= 0 && x < SIDE) {
            int best = s[me][x] + likeness[me][x];
            if (s[me][x + 1] - GAP > best)
                best = s[me][x + 1] - GAP;
            if (s[me + 1][x] - GAP > best)
                best = s[me + 1][x] - GAP;
            s[me + 1][x + 1] = best;
        }
    }
    __syncthreads();
    for (int y = 1; y <= SIDE; y++)
        if (me < SIDE)
            corner[y * pitch + me + 1] = s[y][me + 1];
}

static uint64_t n_pairs(void) { return (uint64_t)n * (uint64_t)n; }
static uint64_t n_scores(void) { return (uint64_t)(n + 1) * (uint64_t)(n + 1); }

static void shape(double bytes)
{
    n_tiles = (int)round(sqrt(bytes / 8) / SIDE);
    n_tiles = n_tiles < 1 ? 1 : n_tiles;
    n = n_tiles * SIDE;
    letters = PROGRAM_NEW(host, uint8_t, 2 * n);
    alike = PROGRAM_NEW(host, int, n_pairs());
    border = PROGRAM_NEW(host, int, n_scores());
    score = PROGRAM_NEW(result, int, n_scores());
    device_alike = PROGRAM_NEW(device, int, n_pairs());
    device_score = PROGRAM_NEW(device, int, n_scores());
}

static void make_row(uint64_t y)
{
    for (int x = 0; x < n; x++) {
        const uint32_t a = letters[y], b = letters[n + x], pair = a < b ? a * LETTERS + b : b * LETTERS + a;
        alike[y * (uint64_t)n + (uint64_t)x] = a == b ? 6 : (int)(noise_u64(51, pair) % 9) - 5;
    }
}
static void fill(void)
{
    for (int i = 0; i < 2 * n; i++)
        letters[i] = (uint8_t)(noise_u64(50, (uint64_t)i) % LETTERS);
    program_fill((uint64_t)n, make_row);
    memset(border, 0, n_scores() * sizeof(int));
    for (int i = 0; i <= n; i++)
        border[i] = border[(int64_t)i * (n + 1)] = -i * GAP;
}

static void compute(void)
{
    program_copy_in(device_alike, alike, n_pairs() * sizeof(int));
    program_copy_in(device_score, border, n_scores() * sizeof(int));
    for (int diagonal = 0; diagonal < 2 * n_tiles - 1; diagonal++) {
        const int first_y = diagonal < n_tiles ? diagonal : n_tiles - 1, first_x = diagonal - first_y;
        PROGRAM_LAUNCH(align, (uint32_t)(first_y - first_x + 1), THREADS, device_alike, device_score, n, first_x,
                       first_y);
    }
    program_copy_out(score, device_score, n_scores() * sizeof(int));
}

/* Border and recurrence: where both hold everywhere, the scores are right. */
static int is_wrong(uint64_t i)
{
    const uint64_t x = i % ((uint64_t)n + 1), y = i / ((uint64_t)n + 1);
    const int *at = score + i;
    int best;
    if (x == 0 || y == 0)
        return *at != border[i];
    best = at[-n - 2] + alike[(y - 1) * (uint64_t)n + x - 1];
    best = at[-n - 1] - GAP > best ? at[-n - 1] - GAP : best;
    best = at[-1] - GAP > best ? at[-1] - GAP : best;
    return *at != best;
}
static uint64_t check(void) { return program_wrong("scores", n_scores(), 5, is_wrong); }

const program program_this = {"nw", "Global alignment of two sequences", 1062, shape, fill, compute, check};
