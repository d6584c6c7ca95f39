/* SPDX-License-Identifier: MIT */
/* hotspot.cu - temperatures of a chip from the power of its cells: one explicit step of the equation of heat, with the
 * constants of Rodinia's hotspot. A cell has the size that it has there on 64 x 64 cells, so that the step stays stable. The
 * second result is the hottest cell of each block. */
#include "program.h"

#include "noise.h"

#include <math.h>

#define WIDE 32 /* cells of a block */
#define HIGH 8

/* Resistances, and the time over the capacity of a cell. */
#define CELL_M 0.00025
#define CHIP_M 0.0005 /* thickness */
#define CONDUCTIVITY 100.0
#define CAPACITY (0.5 * 1.75e6 * CHIP_M * CELL_M * CELL_M)
#define STEP_S (0.001 * 0.5 * CHIP_M * 1.75e6 / 3e6)
#define RESIST_SIDE (1 / (2 * CONDUCTIVITY * CHIP_M))
#define RESIST_UP (CHIP_M / (CONDUCTIVITY * CELL_M * CELL_M))
#define AMBIENT 80.0

static int side, blocks_wide, blocks_high;
static float *heat, *power, *result, *hottest, *device_heat, *device_power, *device_result, *device_hottest;

static __global__ void step(const float *t, const float *watt, float *to, float *hottest_of, int n, uint32_t steps)
{
    __shared__ float warm[WIDE * HIGH];
    const int x = (int)(blockIdx.x * WIDE + threadIdx.x), y = (int)(blockIdx.y * HIGH + threadIdx.y);
    const int me = (int)(threadIdx.y * WIDE + threadIdx.x);
    program_lengthen(steps);
    warm[me] = 0;
    if (x < n && y < n) {
        const int64_t at = (int64_t)y * n + x;
        const float now = t[at], north = y ? t[at - n] : now, south = y + 1 < n ? t[at + n] : now;
        const float west = x ? t[at - 1] : now, east = x + 1 < n ? t[at + 1] : now;
        const float flow = watt[at] + (north + south - 2 * now) * (float)(1 / RESIST_SIDE) +
                           (west + east - 2 * now) * (float)(1 / RESIST_SIDE) +
                           ((float)AMBIENT - now) * (float)(1 / RESIST_UP);
        warm[me] = now + (float)(STEP_S / CAPACITY) * flow;
        to[at] = warm[me];
    }
    for (int half = WIDE * HIGH / 2; half; half /= 2) {
        __syncthreads();
        if (me < half && warm[me + half] > warm[me])
            warm[me] = warm[me + half];
    }
    if (me == 0)
        hottest_of[blockIdx.y * gridDim.x + blockIdx.x] = warm[0];
}

static void shape(double bytes)
{
    uint64_t n;
    side = (int)sqrt(bytes / 8);
    blocks_wide = (int)program_blocks((uint64_t)side, WIDE), blocks_high = (int)program_blocks((uint64_t)side, HIGH);
    n = (uint64_t)side * (uint64_t)side;
    heat = PROGRAM_NEW(host, float, n), power = PROGRAM_NEW(host, float, n);
    result = PROGRAM_NEW(result, float, n), hottest = PROGRAM_NEW(result, float, blocks_wide *blocks_high);
    device_heat = PROGRAM_NEW(device, float, n), device_power = PROGRAM_NEW(device, float, n);
    device_result = PROGRAM_NEW(device, float, n);
    device_hottest = PROGRAM_NEW(device, float, blocks_wide *blocks_high);
}

static void make(uint64_t i)
{
    heat[i] = 320 + 24 * (float)noise_unit(30, i);
    power[i] = 5 * (float)noise_unit(31, i);
}
static void fill(void) { program_fill((uint64_t)side * (uint64_t)side, make); }

static void compute(void)
{
    const uint64_t bytes = (uint64_t)side * (uint64_t)side * sizeof(float);
    program_copy_in(device_heat, heat, bytes);
    program_copy_in(device_power, power, bytes);
    PROGRAM_LAUNCH(step, dim3((uint32_t)blocks_wide, (uint32_t)blocks_high), dim3(WIDE, HIGH), device_heat,
                   device_power, device_result, device_hottest, side);
    program_copy_out(result, device_result, bytes);
    program_copy_out(hottest, device_hottest, (uint64_t)blocks_wide * (uint64_t)blocks_high * sizeof(float));
}

static double heat_at(int64_t x, int64_t y, double beyond)
{
    return x < 0 || y < 0 || x >= side || y >= side ? beyond : heat[y * side + x];
}
static int is_wrong(uint64_t i)
{
    const int64_t x = (int64_t)(i % (uint64_t)side), y = (int64_t)(i / (uint64_t)side);
    const double t = heat[i],
                 sides = heat_at(x - 1, y, t) + heat_at(x + 1, y, t) + heat_at(x, y - 1, t) + heat_at(x, y + 1, t);
    const double flow = power[i] + (sides - 4 * t) / RESIST_SIDE + (AMBIENT - t) / RESIST_UP;
    return !program_is_near(result[i], t + STEP_S / CAPACITY * flow, 1e-6);
}
static int is_not_hottest(uint64_t i)
{
    const int left = (int)(i % (uint64_t)blocks_wide) * WIDE, top = (int)(i / (uint64_t)blocks_wide) * HIGH;
    float most = 0;
    for (int y = top; y < top + HIGH && y < side; y++)
        for (int x = left; x < left + WIDE && x < side; x++)
            most = fmaxf(most, result[(int64_t)y * side + x]);
    return hottest[i] != most;
}
static uint64_t check(void)
{
    return program_wrong("temperatures", (uint64_t)side * (uint64_t)side, 6, is_wrong) +
           program_wrong("hottest cells", (uint64_t)blocks_wide * (uint64_t)blocks_high, 500, is_not_hottest);
}

const program program_this = {"hotspot", "Temperatures of a chip after a step", 1212, shape, fill, compute, check};
