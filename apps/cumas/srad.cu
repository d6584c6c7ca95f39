/* SPDX-License-Identifier: MIT */
/* srad.cu - speckle taken out of two pictures by anisotropic diffusion (Yu and Acton 2002): the second is copied in when the
 * first one's kernels are started, and both results go out in one copy. For each picture a launch computes the coefficients
 * of diffusion, another lets the values diffuse. */
#include "program.h"

#include "noise.h"

#include <math.h>

#define WIDE 32
#define HIGH 8
#define N_PICTURES 2
#define RATE 0.5
#define CORNER 128 /* of the picture is taken to be uniform: its variance is that of speckle */

static int side;
static float *picture[N_PICTURES], *smooth, *device_picture, *device_smooth, *device_coefficient;
static double speckle[N_PICTURES]; /* variance over the square of the mean */

typedef struct around {
    float now, north, south, west, east; /* the differences of the four neighbours */
} around;

static __device__ around look(const float *p, int n, int x, int y)
{
    const float *at = p + (int64_t)y * n + x;
    around a = {*at, 0, 0, 0, 0};
    if (y)
        a.north = at[-n] - a.now;
    if (y + 1 < n)
        a.south = at[n] - a.now;
    if (x)
        a.west = at[-1] - a.now;
    if (x + 1 < n)
        a.east = at[1] - a.now;
    return a;
}

static __global__ void coefficients(const float *p, float *to, int n, float q0, uint32_t steps)
{
    const int x = (int)(blockIdx.x * WIDE + threadIdx.x), y = (int)(blockIdx.y * HIGH + threadIdx.y);
    program_lengthen(steps);
    if (x < n && y < n) {
        const around a = look(p, n, x, y);
        const float slope =
            (a.north * a.north + a.south * a.south + a.west * a.west + a.east * a.east) / (a.now * a.now);
        const float bend = (a.north + a.south + a.west + a.east) / a.now, even = 1 + bend / 4;
        const float q = (slope / 2 - bend * bend / 16) / (even * even);
        const float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
        to[(int64_t)y * n + x] = c < 0 ? 0 : c > 1 ? 1 : c;
    }
}

static __global__ void diffuse(const float *p, const float *c, float *to, int n, uint32_t steps)
{
    const int x = (int)(blockIdx.x * WIDE + threadIdx.x), y = (int)(blockIdx.y * HIGH + threadIdx.y);
    program_lengthen(steps);
    if (x < n && y < n) {
        const int64_t at = (int64_t)y * n + x;
        const around a = look(p, n, x, y);
        const float south = y + 1 < n ? c[at + n] : c[at], east = x + 1 < n ? c[at + 1] : c[at];
        to[at] = a.now + (float)RATE / 4 * (c[at] * (a.north + a.west) + south * a.south + east * a.east);
    }
}

static uint64_t n_pixels(void) { return (uint64_t)side * (uint64_t)side; }

static void shape(double bytes)
{
    side = (int)sqrt(bytes / N_PICTURES / 4);
    for (int k = 0; k < N_PICTURES; k++)
        picture[k] = PROGRAM_NEW(host, float, n_pixels());
    smooth = PROGRAM_NEW(result, float, N_PICTURES *n_pixels());
    device_picture = PROGRAM_NEW(device, float, n_pixels()),
    device_coefficient = PROGRAM_NEW(device, float, n_pixels());
    device_smooth = PROGRAM_NEW(device, float, N_PICTURES *n_pixels());
}

static void make(uint64_t i)
{
    for (uint64_t k = 0; k < N_PICTURES; k++) /* squares of different grey, under speckle */
        picture[k][i] =
            (float)((1 + (double)((i / 200 + i / (uint64_t)side / 200 + k) % 3)) * (0.5 + noise_unit(80 + k, i)));
}
static double speckle_of(const float *p)
{
    const int n = side < CORNER ? side : CORNER;
    double sum = 0, squares = 0, mean;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const double v = p[(int64_t)y * side + x];
            sum += v, squares += v * v;
        }
    mean = sum / n / n;
    return (squares / n / n - mean * mean) / (mean * mean);
}
static void fill(void)
{
    program_fill(n_pixels(), make);
    for (int k = 0; k < N_PICTURES; k++)
        speckle[k] = speckle_of(picture[k]);
}

static void compute(void)
{
    const dim3 grid(program_blocks((uint64_t)side, WIDE), program_blocks((uint64_t)side, HIGH)), block(WIDE, HIGH);
    for (int k = 0; k < N_PICTURES; k++) {
        program_copy_in(device_picture, picture[k], n_pixels() * sizeof(float));
        PROGRAM_LAUNCH(coefficients, grid, block, device_picture, device_coefficient, side, (float)speckle[k]);
        PROGRAM_LAUNCH(diffuse, grid, block, device_picture, device_coefficient,
                       device_smooth + (uint64_t)k * n_pixels(), side);
    }
    program_copy_out(smooth, device_smooth, N_PICTURES * n_pixels() * sizeof(float));
}

/* A pixel beyond the edge is the one at the edge. */
static double pixel(int k, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x >= side ? side - 1 : x, y = y < 0 ? 0 : y >= side ? side - 1 : y;
    return picture[k][y * side + x];
}
static double coefficient(int k, int64_t x, int64_t y)
{
    static const int step[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    const double q0 = speckle[k];
    double here, squares = 0, sum = 0, q, c;
    x = x >= side ? side - 1 : x, y = y >= side ? side - 1 : y;
    here = pixel(k, x, y);
    for (int i = 0; i < 4; i++) {
        const double d = pixel(k, x + step[i][0], y + step[i][1]) - here;
        squares += d * d / (here * here), sum += d / here;
    }
    q = (squares / 2 - sum * sum / 16) / pow(1 + sum / 4, 2);
    c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}
static int is_wrong(uint64_t i)
{
    const int k = (int)(i / n_pixels());
    const int64_t x = (int64_t)(i % n_pixels() % (uint64_t)side), y = (int64_t)(i % n_pixels() / (uint64_t)side);
    const double here = pixel(k, x, y), c = coefficient(k, x, y);
    const double flow = c * (pixel(k, x, y - 1) - here) + coefficient(k, x, y + 1) * (pixel(k, x, y + 1) - here) +
                        c * (pixel(k, x - 1, y) - here) + coefficient(k, x + 1, y) * (pixel(k, x + 1, y) - here);
    return !program_is_near(smooth[i], here + RATE / 4 * flow, 1e-4);
}
static uint64_t check(void) { return program_wrong("pixels", N_PICTURES * n_pixels(), 120, is_wrong); }

const program program_this = {"srad", "Speckle taken out of two pictures", 1073, shape, fill, compute, check};
