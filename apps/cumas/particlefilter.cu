/* SPDX-License-Identifier: MIT */
/* particlefilter.cu - an object followed through a video of 11 frames by particles. Seven launches a frame: each particle
 * moves, weighs its place by the picture there; weights are added up by blocks and over blocks, and made cumulative; as many
 * new particles are chosen by weight, and take their places. The last frame is copied in when the others are done. All
 * arithmetic is in whole numbers, so that the reference must agree in every bit. */
#include "program.h"

#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_FRAMES 11
#define THREADS 256
#define RADIUS 5 /* of the object */
#define N_NEAR 9 /* pixels that a particle looks at: 3 x 3, REACH apart */
#define REACH 3
#define SPREAD 7  /* most pixels by which a particle moves by chance, in each direction */
#define DRIFT_X 3 /* the object's way from frame to frame */
#define DRIFT_Y 2

typedef struct sums { /* of weights, and of places by weight */
    uint64_t weight, x, y;
} sums;
typedef struct offset {
    int x, y;
} offset;

static int side; /* of a frame */
static uint32_t n, n_blocks;
static uint8_t *video;
static int *start_x, *start_y;
static uint32_t *seeds;
static offset near[N_NEAR];
static uint8_t *result; /* a sums for each frame, then the logarithm of each particle's weight in the last frame */

static uint8_t *device_frames, *device_last, *device_result;
static int *device_x[2], *device_y[2];
static uint32_t *device_seeds, *device_chosen;
static offset *device_near;
static sums *device_blocks;
static uint64_t *device_cumulative;

/* ---- what both sides compute ------------------------------------------------------------------------------------- */

static inline __host__ __device__ int inside(int v, int n_all) { return v < 0 ? 0 : v >= n_all ? n_all - 1 : v; }

static inline __host__ __device__ int by_chance(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)((*seed >> 16) % (2 * SPREAD + 1)) - SPREAD;
}

/* A particle weighs two to the power of this. */
static inline __host__ __device__ uint8_t brightness(const uint8_t *frame, int n_side, const offset *at, int x, int y)
{
    uint32_t sum = 0;
    for (int k = 0; k < N_NEAR; k++)
        sum += frame[(int64_t)inside(y + at[k].y, n_side) * n_side + inside(x + at[k].x, n_side)];
    return (uint8_t)(sum / N_NEAR / 16);
}

/* Evenly spaced weights for new particles. */
static inline __host__ __device__ uint64_t drawn(uint64_t total, uint32_t i, uint32_t n_all)
{
    return (total * i + total / 2) / n_all;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static __global__ void move(int *x, int *y, uint32_t *seed, int n_side, uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    program_lengthen(steps);
    x[i] = inside(x[i] + DRIFT_X + by_chance(&seed[i]), n_side);
    y[i] = inside(y[i] + DRIFT_Y + by_chance(&seed[i]), n_side);
}

static __global__ void weigh(const int *x, const int *y, const uint8_t *frame, int n_side, const offset *at,
                             uint8_t *logarithm, uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    program_lengthen(steps);
    logarithm[i] = brightness(frame, n_side, at, x[i], y[i]);
}

static __global__ void add_block(const int *x, const int *y, const uint8_t *logarithm, sums *block, uint32_t steps)
{
    __shared__ sums s[THREADS];
    const uint32_t me = threadIdx.x, i = blockIdx.x * THREADS + me;
    const uint64_t w = (uint64_t)1 << logarithm[i];
    program_lengthen(steps);
    s[me].weight = w, s[me].x = w * (uint64_t)x[i], s[me].y = w * (uint64_t)y[i];
    for (uint32_t half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (me < half)
            s[me].weight += s[me + half].weight, s[me].x += s[me + half].x, s[me].y += s[me + half].y;
    }
    if (me == 0)
        block[blockIdx.x] = s[0];
}

/* One block: the sums of all blocks, and for each block the weights before it. */
static __global__ void add_all(sums *block, uint32_t n_all, sums *all, uint32_t steps)
{
    __shared__ sums s[THREADS];
    const uint32_t me = threadIdx.x, each = (n_all + THREADS - 1) / THREADS;
    const uint32_t begin = me * each < n_all ? me * each : n_all, end = begin + each < n_all ? begin + each : n_all;
    sums mine = {0, 0, 0};
    uint64_t before = 0;
    program_lengthen(steps);
    for (uint32_t b = begin; b < end; b++)
        mine.weight += block[b].weight, mine.x += block[b].x, mine.y += block[b].y;
    s[me] = mine;
    __syncthreads();
    for (uint32_t k = 0; k < me; k++)
        before += s[k].weight;
    for (uint32_t b = begin; b < end; b++) {
        const uint64_t w = block[b].weight;
        block[b].weight = before;
        before += w;
    }
    if (me == THREADS - 1) {
        for (uint32_t k = 0; k < THREADS - 1; k++)
            mine.weight += s[k].weight, mine.x += s[k].x, mine.y += s[k].y;
        *all = mine;
    }
}

static __global__ void accumulate(const uint8_t *logarithm, const sums *block, uint64_t *cumulative, uint32_t steps)
{
    __shared__ uint64_t s[2][THREADS];
    const uint32_t me = threadIdx.x, i = blockIdx.x * THREADS + me;
    int now = 0;
    program_lengthen(steps);
    s[0][me] = (uint64_t)1 << logarithm[i];
    for (uint32_t by = 1; by < THREADS; by *= 2, now = !now) {
        __syncthreads();
        s[!now][me] = s[now][me] + (me >= by ? s[now][me - by] : 0);
    }
    cumulative[i] = block[blockIdx.x].weight + s[now][me];
}

static __global__ void choose(const uint64_t *cumulative, const sums *all, uint32_t n_all, uint32_t *chosen,
                              uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const uint64_t wanted = drawn(all->weight, i, n_all);
    uint32_t low = 0, high = n_all - 1; /* the first one with a cumulative weight beyond that */
    program_lengthen(steps);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cumulative[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    chosen[i] = low;
}

static __global__ void take(const uint32_t *chosen, const int *x, const int *y, int *new_x, int *new_y, uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    program_lengthen(steps);
    new_x[i] = x[chosen[i]], new_y[i] = y[chosen[i]];
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static uint64_t frame_bytes(void) { return (uint64_t)side * (uint64_t)side; }
static uint64_t result_bytes(void) { return N_FRAMES * sizeof(sums) + n; }

static void shape(double bytes)
{
    n_blocks = (uint32_t)(bytes / 1000 / THREADS) + 1;
    n = n_blocks * THREADS;
    side = (int)sqrt(fmax(bytes - 12.0 * n, 0) / N_FRAMES);
    side = side < 16 ? 16 : side;
    video = PROGRAM_NEW(host, uint8_t, N_FRAMES * frame_bytes());
    start_x = PROGRAM_NEW(host, int, n), start_y = PROGRAM_NEW(host, int, n), seeds = PROGRAM_NEW(host, uint32_t, n);
    result = PROGRAM_NEW(result, uint8_t, result_bytes());
    device_frames = PROGRAM_NEW(device, uint8_t, frame_bytes() * (N_FRAMES - 1));
    device_last = PROGRAM_NEW(device, uint8_t, frame_bytes());
    for (int k = 0; k < 2; k++)
        device_x[k] = PROGRAM_NEW(device, int, n), device_y[k] = PROGRAM_NEW(device, int, n);
    device_seeds = PROGRAM_NEW(device, uint32_t, n), device_chosen = PROGRAM_NEW(device, uint32_t, n);
    device_near = PROGRAM_NEW(device, offset, N_NEAR), device_blocks = PROGRAM_NEW(device, sums, n_blocks);
    device_cumulative = PROGRAM_NEW(device, uint64_t, n);
    device_result = PROGRAM_NEW(device, uint8_t, result_bytes());
}

static int object_x(int frame) { return inside(side / 2 + (frame + 1) * DRIFT_X, side); }
static int object_y(int frame) { return inside(side / 2 + (frame + 1) * DRIFT_Y, side); }

static void make_row(uint64_t row)
{
    const int frame = (int)(row / (uint64_t)side), y = (int)(row % (uint64_t)side) - object_y(frame);
    uint64_t noise = 0;
    for (int x = 0; x < side; x++, noise >>= 8) {
        const int away = x - object_x(frame);
        if (x % 8 == 0)
            noise = noise_u64(110, row * (uint64_t)side + (uint64_t)x);
        video[row * (uint64_t)side + (uint64_t)x] =
            away * away + y * y <= RADIUS * RADIUS ? (uint8_t)(208 + noise % 32) : (uint8_t)(noise & 127);
    }
}
static void make_particle(uint64_t i)
{
    seeds[i] = (uint32_t)noise_u64(111, i);
    start_x[i] = inside(side / 2 + (int)(noise_u64(112, i) % 65) - 32, side);
    start_y[i] = inside(side / 2 + (int)(noise_u64(113, i) % 65) - 32, side);
}
static void fill(void)
{
    program_fill(N_FRAMES * (uint64_t)side, make_row);
    program_fill(n, make_particle);
    for (int k = 0; k < N_NEAR; k++)
        near[k].x = (k % 3 - 1) * REACH, near[k].y = (k / 3 - 1) * REACH;
}

/* From particles in device_x[from] to those in the other. */
static void follow(int frame, const uint8_t *picture, int from)
{
    sums *all = (sums *)device_result + frame;
    uint8_t *logarithm = device_result + N_FRAMES * sizeof(sums);
    int *x = device_x[from], *y = device_y[from];
    PROGRAM_LAUNCH(move, n_blocks, THREADS, x, y, device_seeds, side);
    PROGRAM_LAUNCH(weigh, n_blocks, THREADS, x, y, picture, side, device_near, logarithm);
    PROGRAM_LAUNCH(add_block, n_blocks, THREADS, x, y, logarithm, device_blocks);
    PROGRAM_LAUNCH(add_all, 1, THREADS, device_blocks, n_blocks, all);
    PROGRAM_LAUNCH(accumulate, n_blocks, THREADS, logarithm, device_blocks, device_cumulative);
    PROGRAM_LAUNCH(choose, n_blocks, THREADS, device_cumulative, all, n, device_chosen);
    PROGRAM_LAUNCH(take, n_blocks, THREADS, device_chosen, x, y, device_x[!from], device_y[!from]);
}

static void compute(void)
{
    program_copy_in(device_frames, video, frame_bytes() * (N_FRAMES - 1));
    program_copy_in(device_x[0], start_x, n * sizeof(int));
    program_copy_in(device_y[0], start_y, n * sizeof(int));
    program_copy_in(device_seeds, seeds, n * sizeof(uint32_t));
    program_copy_in(device_near, near, sizeof near);
    for (int frame = 0; frame < N_FRAMES - 1; frame++)
        follow(frame, device_frames + (uint64_t)frame * frame_bytes(), frame % 2);
    program_copy_in(device_last, video + (N_FRAMES - 1) * frame_bytes(), frame_bytes());
    follow(N_FRAMES - 1, device_last, (N_FRAMES - 1) % 2);
    program_copy_out(result, device_result, result_bytes());
}

/* ---- the reference: the same numbers, one particle after another ------------------------------------------------- */

static sums expected[N_FRAMES];
static uint8_t *expected_logarithm;

static sums weigh_all(const uint8_t *frame, int *x, int *y, uint32_t *seed)
{
    sums s = {0, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        x[i] = inside(x[i] + DRIFT_X + by_chance(&seed[i]), side);
        y[i] = inside(y[i] + DRIFT_Y + by_chance(&seed[i]), side);
        expected_logarithm[i] = brightness(frame, side, near, x[i], y[i]);
        s.weight += (uint64_t)1 << expected_logarithm[i];
        s.x += (uint64_t)x[i] << expected_logarithm[i], s.y += (uint64_t)y[i] << expected_logarithm[i];
    }
    return s;
}
/* Weights grow along the particles, so that each search goes on where the last one ended. */
static void choose_all(uint64_t total, const int *x, const int *y, int *new_x, int *new_y)
{
    uint64_t cumulative = (uint64_t)1 << expected_logarithm[0];
    for (uint32_t i = 0, at = 0; i < n; i++) {
        while (cumulative <= drawn(total, i, n))
            cumulative += (uint64_t)1 << expected_logarithm[++at];
        new_x[i] = x[at], new_y[i] = y[at];
    }
}
static void expect(void)
{
    const uint64_t bytes = n * sizeof(int);
    int *x[2], *y[2];
    uint32_t *seed = PROGRAM_NEW(host, uint32_t, n);
    for (int k = 0; k < 2; k++)
        x[k] = PROGRAM_NEW(host, int, n), y[k] = PROGRAM_NEW(host, int, n);
    expected_logarithm = PROGRAM_NEW(host, uint8_t, n);
    memcpy(x[0], start_x, bytes), memcpy(y[0], start_y, bytes), memcpy(seed, seeds, bytes);
    for (int frame = 0; frame < N_FRAMES; frame++) {
        const int from = frame % 2;
        expected[frame] = weigh_all(video + (uint64_t)frame * frame_bytes(), x[from], y[from], seed);
        choose_all(expected[frame].weight, x[from], y[from], x[!from], y[!from]);
    }
    for (int k = 0; k < 2; k++)
        free(x[k]), free(y[k]);
    free(seed);
}

static int is_wrong_particle(uint64_t i) { return result[N_FRAMES * sizeof(sums) + i] != expected_logarithm[i]; }
static int is_far(uint64_t place_sum, uint64_t weight, int place)
{
    return llabs((long long)(place_sum / weight) - place) > RADIUS;
}
/* Sums must be equal, and after three frames the particles have found the object. */
static int is_wrong_frame(uint64_t i)
{
    sums s;
    memcpy(&s, result + i * sizeof s, sizeof s);
    if (memcmp(&s, &expected[i], sizeof s) || !s.weight)
        return 1;
    return i >= 3 && (is_far(s.x, s.weight, object_x((int)i)) || is_far(s.y, s.weight, object_y((int)i)));
}
static uint64_t check(void)
{
    if (!expected_logarithm)
        expect();
    return program_wrong("frames", N_FRAMES, 1, is_wrong_frame) + program_wrong("particles", n, 1, is_wrong_particle);
}

const program program_this = {
    "particlefilter", "An object followed through a video", 1043, shape, fill, compute, check};
