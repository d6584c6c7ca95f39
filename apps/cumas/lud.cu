/* SPDX-License-Identifier: MIT */
/* lud.cu - a matrix as product of a lower and an upper triangle, in place, without pivoting, by blocks of 32 x 32: three
 * launches a step, for the block on the diagonal, those beside and below it, and all others behind. */
#include "program.h"

#include "noise.h"

#include <math.h>

#define B 32
#define ROWS_AT_ONCE 8 /* of a block, in the launch for those behind: a thread has B / ROWS_AT_ONCE numbers */

static int n;
static float *given, *both, *device_both;

static __device__ float *block_at(float *m, int n_all, int y, int x) { return m + ((int64_t)y * n_all + x) * B; }

static __global__ void diagonal(float *m, int n_all, int k, uint32_t steps)
{
    __shared__ float d[B][B + 1];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    float *at = block_at(m, n_all, k, k) + (int64_t)y * n_all + x;
    program_lengthen(steps);
    d[y][x] = *at;
    for (int i = 0; i < B - 1; i++) {
        __syncthreads();
        if (x == i && y > i)
            d[y][i] /= d[i][i];
        __syncthreads();
        if (x > i && y > i)
            d[y][x] -= d[y][i] * d[i][x];
    }
    *at = d[y][x];
}

/* Blocks 0 .. rest - 1 are right of the diagonal, L X = A, a thread a column; the others below, X U = A, a thread a row. */
static __global__ void beside(float *m, int n_all, int k, int rest, uint32_t steps)
{
    __shared__ float d[B][B + 1], t[B][B + 1];
    const int me = (int)threadIdx.x, which = (int)blockIdx.x;
    float *from = block_at(m, n_all, k, k);
    float *to = which < rest ? block_at(m, n_all, k, k + 1 + which) : block_at(m, n_all, k + 1 + which - rest, k);
    program_lengthen(steps);
    for (int i = 0; i < B; i++)
        d[i][me] = from[(int64_t)i * n_all + me], t[i][me] = to[(int64_t)i * n_all + me];
    __syncthreads();
    for (int i = 0; i < B; i++) {
        float v = which < rest ? t[i][me] : t[me][i];
        for (int j = 0; j < i; j++)
            v -= which < rest ? d[i][j] * t[j][me] : t[me][j] * d[j][i];
        if (which < rest)
            t[i][me] = v;
        else
            t[me][i] = v / d[i][i];
    }
    __syncthreads();
    for (int i = 0; i < B; i++)
        to[(int64_t)i * n_all + me] = t[i][me];
}

static __global__ void behind(float *m, int n_all, int k, uint32_t steps)
{
    __shared__ float l[B][B], u[B][B];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, row = k + 1 + (int)blockIdx.y,
              column = k + 1 + (int)blockIdx.x;
    const float *left = block_at(m, n_all, row, k), *up = block_at(m, n_all, k, column);
    float *to = block_at(m, n_all, row, column), sum[B / ROWS_AT_ONCE];
    program_lengthen(steps);
    for (int i = 0; i < B / ROWS_AT_ONCE; i++) {
        const int64_t at = (int64_t)(y + i * ROWS_AT_ONCE) * n_all + x;
        l[y + i * ROWS_AT_ONCE][x] = left[at], u[y + i * ROWS_AT_ONCE][x] = up[at], sum[i] = to[at];
    }
    __syncthreads();
    for (int j = 0; j < B; j++)
        for (int i = 0; i < B / ROWS_AT_ONCE; i++)
            sum[i] -= l[y + i * ROWS_AT_ONCE][j] * u[j][x];
    for (int i = 0; i < B / ROWS_AT_ONCE; i++)
        to[(int64_t)(y + i * ROWS_AT_ONCE) * n_all + x] = sum[i];
}

static uint64_t square(void) { return (uint64_t)n * (uint64_t)n; }

static void shape(double bytes)
{
    n = B * (int)round(sqrt(bytes / 4) / B);
    n = n < 2 * B ? 2 * B : n;
    given = PROGRAM_NEW(host, float, square()), both = PROGRAM_NEW(result, float, square());
    device_both = PROGRAM_NEW(device, float, square());
}

static void make(uint64_t i)
{
    given[i] = (float)(2 * noise_unit(70, i) - 1);
    if (i % ((uint64_t)n + 1) == 0) /* the diagonal outweighs its row, so that nothing grows */
        given[i] += (float)n;
}
static void fill(void) { program_fill(square(), make); }

static void compute(void)
{
    program_copy_in(device_both, given, square() * sizeof(float));
    for (int k = 0; k < n / B; k++) {
        const uint32_t rest = (uint32_t)(n / B - 1 - k);
        PROGRAM_LAUNCH(diagonal, 1, dim3(B, B), device_both, n, k);
        if (!rest)
            break;
        PROGRAM_LAUNCH(beside, 2 * rest, B, device_both, n, k, (int)rest);
        PROGRAM_LAUNCH(behind, dim3(rest, rest), dim3(B, ROWS_AT_ONCE), device_both, n, k);
    }
    program_copy_out(both, device_both, square() * sizeof(float));
}

/* A number of the product of both triangles, of which the lower has ones on its diagonal. */
static int is_wrong(uint64_t i)
{
    const int64_t row = (int64_t)(i / (uint64_t)n), column = (int64_t)(i % (uint64_t)n),
                  end = row < column ? row : column;
    double sum = row <= column ? both[i] : (double)both[i] * both[column * n + column];
    for (int64_t k = 0; k < end; k++)
        sum += (double)both[row * n + k] * both[k * n + column];
    return !program_is_near(sum, given[i], 3e-5);
}
static uint64_t check(void) { return program_wrong("numbers", square(), (uint64_t)n * 3, is_wrong); }

const program program_this = {"lud", "A matrix as product of two triangles", 205, shape, fill, compute, check};
