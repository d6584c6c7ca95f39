/* SPDX-License-Identifier: MIT */
/* pathfinder.cu - the cheapest way through a grid of costs from the first row down, to the same or a neighbouring column in
 * each row. A launch goes down ROWS rows: a block takes all columns that its own depend on, and neighbours compute the
 * overlap again. Results: after each launch, the cheapest column of each block. */
#include "program.h"

#include "noise.h"

#define N_LAUNCHES 3
#define ROWS 20
#define THREADS 256
#define OWN (THREADS - 2 * ROWS) /* columns that a block answers for */
#define MOST_COST 10u

static uint32_t n_columns, n_blocks;
static uint32_t *costs; /* 1 + N_LAUNCHES x ROWS rows */
static uint64_t *cheapest[N_LAUNCHES];
static uint32_t *device_costs, *device_row[2];
static uint64_t *device_cheapest[N_LAUNCHES];

/* A way's cost and its column in a word: the least word is the cheapest way, of those the leftmost. */
static inline __host__ __device__ uint64_t way(uint32_t cost, uint32_t column) { return (uint64_t)cost << 32 | column; }

static __global__ void descend(const uint32_t *rows, const uint32_t *from, uint32_t *to, uint64_t *best, uint32_t n,
                               uint32_t steps)
{
    __shared__ uint32_t least[2][THREADS];
    __shared__ uint64_t ways[THREADS];
    const int me = (int)threadIdx.x;
    const int64_t column = (int64_t)blockIdx.x * OWN - ROWS + me;
    const bool is_inside = column >= 0 && column < n, is_own = is_inside && me >= ROWS && me < ROWS + OWN;
    program_lengthen(steps);
    least[0][me] = is_inside ? from[column] : UINT32_MAX;
    __syncthreads();
    for (int row = 0; row < ROWS; row++) {
        const uint32_t *above = least[row & 1];
        uint32_t cost = above[me];
        if (me > 0 && above[me - 1] < cost)
            cost = above[me - 1];
        if (me + 1 < THREADS && above[me + 1] < cost)
            cost = above[me + 1];
        least[~row & 1][me] = is_inside ? cost + rows[(int64_t)row * n + column] : UINT32_MAX;
        __syncthreads();
    }
    if (is_own)
        to[column] = least[ROWS & 1][me];
    ways[me] = is_own ? way(least[ROWS & 1][me], (uint32_t)column) : UINT64_MAX;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (me < half && ways[me + half] < ways[me])
            ways[me] = ways[me + half];
    }
    if (me == 0)
        best[blockIdx.x] = ways[0];
}

static void shape(double bytes)
{
    const uint64_t n_rows = 1 + N_LAUNCHES * ROWS;
    n_columns = (uint32_t)(bytes / 4 / (double)n_rows) + 1;
    n_blocks = program_blocks(n_columns, OWN);
    costs = PROGRAM_NEW(host, uint32_t, n_rows * n_columns);
    device_costs = PROGRAM_NEW(device, uint32_t, (n_rows - 1) * n_columns);
    for (int k = 0; k < 2; k++)
        device_row[k] = PROGRAM_NEW(device, uint32_t, n_columns);
    for (int k = 0; k < N_LAUNCHES; k++) {
        cheapest[k] = PROGRAM_NEW(result, uint64_t, n_blocks);
        device_cheapest[k] = PROGRAM_NEW(device, uint64_t, n_blocks);
    }
}

static void make(uint64_t i) { costs[i] = (uint32_t)noise_u64(40, i) % MOST_COST; }
static void fill(void) { program_fill((1 + N_LAUNCHES * ROWS) * (uint64_t)n_columns, make); }

static void compute(void)
{
    const uint64_t row_bytes = (uint64_t)n_columns * sizeof(uint32_t);
    program_copy_in(device_row[0], costs, row_bytes);
    program_copy_in(device_costs, costs + n_columns, N_LAUNCHES * ROWS * row_bytes);
    for (int k = 0; k < N_LAUNCHES; k++)
        PROGRAM_LAUNCH(descend, n_blocks, THREADS, device_costs + (uint64_t)k * ROWS * n_columns, device_row[k & 1],
                       device_row[~k & 1], device_cheapest[k], n_columns);
    for (int k = 0; k < N_LAUNCHES; k++)
        program_copy_out(cheapest[k], device_cheapest[k], n_blocks * sizeof(uint64_t));
}

/* All launches' results of block i, from the columns that they depend on, row by row. */
static int is_wrong(uint64_t i)
{
    enum { REACH = N_LAUNCHES * ROWS };
    const int64_t first = (int64_t)i * OWN - REACH, n = n_columns;
    uint32_t least[OWN + 2 * REACH];
    int n_wrong = 0;
    for (int c = 0; c < OWN + 2 * REACH; c++)
        least[c] = first + c >= 0 && first + c < n ? costs[first + c] : UINT32_MAX;
    for (int row = 1; row <= REACH; row++) {
        uint32_t before = UINT32_MAX; /* least[c - 1], as it was in the row above */
        uint64_t best = UINT64_MAX;
        for (int c = 0; c < OWN + 2 * REACH; c++) {
            const uint32_t here = least[c], after = c + 1 < OWN + 2 * REACH ? least[c + 1] : UINT32_MAX;
            uint32_t cost = here < before ? here : before;
            before = here;
            if (first + c < 0 || first + c >= n)
                continue;
            least[c] = (cost < after ? cost : after) + costs[row * n + first + c];
            if (c >= REACH && c < REACH + OWN && way(least[c], (uint32_t)(first + c)) < best)
                best = way(least[c], (uint32_t)(first + c));
        }
        if (row % ROWS == 0)
            n_wrong += cheapest[row / ROWS - 1][i] != best;
    }
    return n_wrong > 0;
}
static uint64_t check(void) { return program_wrong("blocks", n_blocks, 30000, is_wrong); }

const program program_this = {"pathfinder", "The cheapest ways down a grid of costs", 2139, shape, fill, compute,
                              check};
