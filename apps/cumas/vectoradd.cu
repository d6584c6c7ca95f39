/* SPDX-License-Identifier: MIT */
/* vectoradd.cu - the sum of two vectors; the result is copied out in thirds. */
#include "program.h"

#include "noise.h"

static uint64_t n;
static float *a, *b, *sum, *device_a, *device_b, *device_sum;

static __global__ void add(const float *x, const float *y, float *to, uint64_t n_all, uint32_t steps)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    program_lengthen(steps);
    if (i < n_all)
        to[i] = x[i] + y[i];
}

static void shape(double bytes)
{
    n = (uint64_t)(bytes / 8) / 3 * 3;
    a = PROGRAM_NEW(host, float, n), b = PROGRAM_NEW(host, float, n), sum = PROGRAM_NEW(result, float, n);
    device_a = PROGRAM_NEW(device, float, n), device_b = PROGRAM_NEW(device, float, n);
    device_sum = PROGRAM_NEW(device, float, n);
}

static void make(uint64_t i)
{
    const uint64_t r = noise_u64(10, i);
    a[i] = (float)(r >> 40), b[i] = (float)(r & 0xffffff) / 256;
}
static void fill(void) { program_fill(n, make); }

static void compute(void)
{
    const uint64_t third = n / 3 * sizeof(float);
    program_copy_in(device_a, a, n * sizeof(float));
    program_copy_in(device_b, b, n * sizeof(float));
    PROGRAM_LAUNCH(add, program_blocks(n, 256), 256, device_a, device_b, device_sum, n);
    for (uint64_t k = 0; k < 3; k++)
        program_copy_out(sum + k * (n / 3), device_sum + k * (n / 3), third);
}

static int is_wrong(uint64_t i) { return sum[i] != a[i] + b[i]; }
static uint64_t check(void) { return program_wrong("sums", n, 1, is_wrong); }

const program program_this = {"vectorAdd", "The sum of two vectors", 1608, shape, fill, compute, check};
