/* SPDX-License-Identifier: MIT */
/* gaussian.cu - a system of linear equations by Gauss' elimination without pivoting: two launches a column, the multipliers
 * and the rows below. The system is solved backwards on the CPU, by the check. */
#include "program.h"

#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 32
#define HIGH 8

static int n;
static float *a, *b, *zeros;               /* the system; where multipliers come */
static float *a_after, *b_after, *factors; /* of the eliminated one */
static float *device_a, *device_b, *device_factors;
static double *x;

static __global__ void divide(float *factor, const float *m, int n_all, int column, uint32_t steps)
{
    const int row = column + 1 + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    program_lengthen(steps);
    if (row < n_all)
        factor[(int64_t)row * n_all + column] = m[(int64_t)row * n_all + column] / m[(int64_t)column * n_all + column];
}

static __global__ void eliminate(const float *factor, float *m, float *right, int n_all, int column, uint32_t steps)
{
    const int row = column + 1 + (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int at = column + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    program_lengthen(steps);
    if (row >= n_all || at >= n_all)
        return;
    m[(int64_t)row * n_all + at] -= factor[(int64_t)row * n_all + column] * m[(int64_t)column * n_all + at];
    if (at == column)
        right[row] -= factor[(int64_t)row * n_all + column] * right[column];
}

static uint64_t square(void) { return (uint64_t)n * (uint64_t)n; }

static void shape(double bytes)
{
    n = (int)round(sqrt(bytes / 8 + 0.0625) - 0.25); /* two matrices and a vector */
    n = n < 2 ? 2 : n;
    a = PROGRAM_NEW(host, float, square()), b = PROGRAM_NEW(host, float, n), zeros = PROGRAM_NEW(host, float, square());
    a_after = PROGRAM_NEW(result, float, square()), b_after = PROGRAM_NEW(result, float, n);
    factors = PROGRAM_NEW(result, float, square());
    device_a = PROGRAM_NEW(device, float, square()), device_b = PROGRAM_NEW(device, float, n);
    device_factors = PROGRAM_NEW(device, float, square());
    x = PROGRAM_NEW(host, double, n);
}

static void make(uint64_t i)
{
    a[i] = (float)(2 * noise_unit(60, i) - 1);
    if (i % ((uint64_t)n + 1) == 0) /* the diagonal outweighs its row, so that nothing grows */
        a[i] += (float)n;
}
static void fill(void)
{
    program_fill(square(), make);
    for (int i = 0; i < n; i++)
        b[i] = (float)noise_unit(61, (uint64_t)i);
    memset(zeros, 0, square() * sizeof(float));
}

static void compute(void)
{
    program_copy_in(device_factors, zeros, square() * sizeof(float));
    program_copy_in(device_a, a, square() * sizeof(float));
    program_copy_in(device_b, b, (uint64_t)n * sizeof(float));
    for (int column = 0; column < n - 1; column++) {
        const uint32_t below = (uint32_t)(n - 1 - column);
        PROGRAM_LAUNCH(divide, program_blocks(below, 256), 256, device_factors, device_a, n, column);
        PROGRAM_LAUNCH(eliminate, dim3(program_blocks(below + 1, WIDE), program_blocks(below, HIGH)), dim3(WIDE, HIGH),
                       device_factors, device_a, device_b, n, column);
    }
    program_copy_out(factors, device_factors, square() * sizeof(float));
    program_copy_out(a_after, device_a, square() * sizeof(float));
    program_copy_out(b_after, device_b, (uint64_t)n * sizeof(float));
}

static void solve_backwards(void)
{
    for (int i = n - 1; i >= 0; i--) {
        double rest = b_after[i];
        for (int k = i + 1; k < n; k++)
            rest -= a_after[(int64_t)i * n + k] * x[k];
        x[i] = rest / a_after[(int64_t)i * n + i];
    }
}
/* The solution, put into an equation as it was given. */
static int is_not_solved(uint64_t i)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(int64_t)i * n + k] * x[k];
    return !program_is_near(sum, b[i], 3e-5);
}
/* Multipliers times eliminated matrix is the given one; nothing is left below the diagonal, nor are multipliers above it. */
static int is_wrong(uint64_t i)
{
    const int64_t row = (int64_t)(i / (uint64_t)n), column = (int64_t)(i % (uint64_t)n),
                  end = row < column ? row : column;
    double sum = row <= column ? a_after[i] : factors[i] * a_after[column * n + column];
    for (int64_t k = 0; k < end; k++)
        sum += (double)factors[row * n + k] * a_after[k * n + column];
    return !program_is_near(sum, a[i], 3e-5) || !program_is_near(row <= column ? factors[i] : a_after[i], 0, 3e-5);
}
static uint64_t check(void)
{
    solve_backwards();
    return program_wrong("equations", (uint64_t)n, (uint64_t)n, is_not_solved) +
           program_wrong("numbers", square(), (uint64_t)n, is_wrong);
}

const program program_this = {"gaussian", "A system of linear equations", 18.88, shape, fill, compute, check};
