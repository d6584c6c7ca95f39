/* SPDX-License-Identifier: MIT */
/* backprop.cu - a step of training of a network with many inputs, 8 hidden units and one output, by backpropagation. The first
 * task computes the hidden units from inputs and weights; the second takes the former changes of weights and computes the new
 * weights, and what the inputs are to blame for. Both go out in one copy. */
#include "program.h"

#include "noise.h"

#include <math.h>

#define HIDDEN 8
#define THREADS 256
#define INPUTS (16 * THREADS) /* of a block in the first launch */
#define MOMENTUM 0.3f
#define RATE 0.3f

/* What there is once: from the output's weights on it goes in anew in each round. */
typedef struct output {
    float weight[HIDDEN], target;
    uint32_t n_blocks_done;
} output;

static uint64_t n;
static uint32_t n_blocks;
static float *input, *weight, *change; /* weight and change: a row of HIDDEN for each input */
static float *result;                  /* new weights, then the inputs' blame */
static float limits[2] = {RATE, MOMENTUM};
static output out;
static float *device_input, *device_weight, *device_change, *device_result, *device_partial, *device_hidden,
    *device_limits;
static output *device_output;

static inline __host__ __device__ float squash(float x) { return 1 / (1 + expf(-x)); }

/* Sums of a block in sums[0], hidden unit by hidden unit. */
static __device__ void add_up(float (*sums)[HIDDEN])
{
    const uint32_t me = threadIdx.x;
    for (uint32_t half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (me < half)
            for (int h = 0; h < HIDDEN; h++)
                sums[me][h] += sums[me + half][h];
    }
    __syncthreads();
}

/* The block that is done last adds up what all blocks have left. */
static __global__ void forward(const float *x, const float *w, uint64_t n_all, float *partial, float *hidden, output *o,
                               uint32_t steps)
{
    __shared__ float sums[THREADS][HIDDEN];
    __shared__ uint32_t is_last;
    const uint32_t me = threadIdx.x;
    const uint64_t begin = (uint64_t)blockIdx.x * INPUTS, end = begin + INPUTS < n_all ? begin + INPUTS : n_all;
    program_lengthen(steps);
    for (int h = 0; h < HIDDEN; h++)
        sums[me][h] = 0;
    for (uint64_t i = begin + me; i < end; i += THREADS)
        for (int h = 0; h < HIDDEN; h++)
            sums[me][h] += x[i] * w[i * HIDDEN + h];
    add_up(sums);
    if (me < HIDDEN)
        partial[blockIdx.x * HIDDEN + me] = sums[0][me];
    __threadfence();
    __syncthreads();
    if (me == 0)
        is_last = atomicAdd(&o->n_blocks_done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int h = 0; h < HIDDEN; h++)
        sums[me][h] = 0;
    for (uint32_t b = me; b < gridDim.x; b += THREADS)
        for (int h = 0; h < HIDDEN; h++)
            sums[me][h] += partial[b * HIDDEN + h];
    add_up(sums);
    if (me < HIDDEN)
        hidden[me] = squash(sums[0][me]);
}

static __global__ void adjust(const float *x, const float *w, const float *old_change, const float *hidden,
                              const output *o, const float *limit, float *new_w, float *blame, uint64_t n_all,
                              uint32_t steps)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    float sum = 0, value, error, all = 0;
    program_lengthen(steps);
    if (i >= n_all)
        return;
    for (int h = 0; h < HIDDEN; h++)
        sum += hidden[h] * o->weight[h];
    value = squash(sum);
    error = (o->target - value) * value * (1 - value);
    for (int h = 0; h < HIDDEN; h++) {
        const float delta = error * o->weight[h] * hidden[h] * (1 - hidden[h]);
        new_w[i * HIDDEN + h] = w[i * HIDDEN + h] + limit[0] * delta * x[i] + limit[1] * old_change[i * HIDDEN + h];
        all += delta * w[i * HIDDEN + h];
    }
    blame[i] = all;
}

static uint64_t n_weights(void) { return n * HIDDEN; }

static void shape(double bytes)
{
    n = (uint64_t)(bytes / (sizeof(float) * (1 + 2 * HIDDEN)));
    n_blocks = program_blocks(n, INPUTS);
    input = PROGRAM_NEW(host, float, n);
    weight = PROGRAM_NEW(host, float, n_weights()), change = PROGRAM_NEW(host, float, n_weights());
    result = PROGRAM_NEW(result, float, n_weights() + n);
    device_input = PROGRAM_NEW(device, float, n), device_weight = PROGRAM_NEW(device, float, n_weights());
    device_change = PROGRAM_NEW(device, float, n_weights()),
    device_result = PROGRAM_NEW(device, float, n_weights() + n);
    device_partial = PROGRAM_NEW(device, float, (uint64_t)n_blocks *HIDDEN),
    device_hidden = PROGRAM_NEW(device, float, HIDDEN);
    device_limits = PROGRAM_NEW(device, float, 2), device_output = PROGRAM_NEW(device, output, 1);
}

/* Weights of both signs, so small that the sum over all inputs is around 1. */
static void make(uint64_t i)
{
    const double most = 1 / sqrt((double)n);
    input[i] = (float)noise_unit(100, i);
    for (uint64_t k = i * HIDDEN; k < (i + 1) * HIDDEN; k++) {
        weight[k] = (float)((2 * noise_unit(101, k) - 1) * most);
        change[k] = (float)((2 * noise_unit(102, k) - 1) * most);
    }
}
static void fill(void)
{
    program_fill(n, make);
    for (int h = 0; h < HIDDEN; h++)
        out.weight[h] = (float)noise_unit(103, (uint64_t)h) + 0.5f;
    out.target = 0.1f;
}

static void compute(void)
{
    const uint64_t weight_bytes = n_weights() * sizeof(float);
    program_copy_in(device_input, input, n * sizeof(float));
    program_copy_in(device_weight, weight, weight_bytes);
    program_copy_in(device_output, &out, sizeof out);
    PROGRAM_LAUNCH(forward, n_blocks, THREADS, device_input, device_weight, n, device_partial, device_hidden,
                   device_output);
    program_copy_in(device_limits, limits, sizeof limits);
    program_copy_in(device_change, change, weight_bytes);
    PROGRAM_LAUNCH(adjust, program_blocks(n, THREADS), THREADS, device_input, device_weight, device_change,
                   device_hidden, device_output, device_limits, device_result, device_result + n_weights(), n);
    program_copy_out(result, device_result, weight_bytes + n * sizeof(float));
}

#define STRETCHES 64
static double stretch[STRETCHES][HIDDEN], delta[HIDDEN];

static void add_stretch(uint64_t k)
{
    for (int h = 0; h < HIDDEN; h++)
        stretch[k][h] = 0;
    for (uint64_t i = n * k / STRETCHES; i < n * (k + 1) / STRETCHES; i++)
        for (int h = 0; h < HIDDEN; h++)
            stretch[k][h] += (double)input[i] * weight[i * HIDDEN + (uint64_t)h];
}
/* What each hidden unit is to blame for, in double precision. */
static void learn(void)
{
    double hidden[HIDDEN], sum = 0, value;
    program_fill(STRETCHES, add_stretch);
    for (int h = 0; h < HIDDEN; h++) {
        double all = 0;
        for (int k = 0; k < STRETCHES; k++)
            all += stretch[k][h];
        hidden[h] = 1 / (1 + exp(-all));
        sum += hidden[h] * out.weight[h];
    }
    value = 1 / (1 + exp(-sum));
    for (int h = 0; h < HIDDEN; h++)
        delta[h] = (out.target - value) * value * (1 - value) * out.weight[h] * hidden[h] * (1 - hidden[h]);
}
static int is_wrong(uint64_t i)
{
    const double scale = sqrt((double)n); /* makes weights around 1, and a hundred times as much the blame */
    double blame = 0;
    int n_wrong = 0;
    for (uint64_t h = 0; h < HIDDEN; h++) {
        const double w = weight[i * HIDDEN + h];
        const double wanted = w + (double)RATE * delta[h] * input[i] + (double)MOMENTUM * change[i * HIDDEN + h];
        n_wrong += !program_is_near(result[i * HIDDEN + h] * scale, wanted * scale, 1e-4);
        blame += delta[h] * w;
    }
    return n_wrong || !program_is_near(result[n_weights() + i] * scale * 100, blame * scale * 100, 1e-4);
}
static uint64_t check(void)
{
    learn();
    return program_wrong("inputs' weights", n, 20, is_wrong);
}

const program program_this = {"backprop", "A step of training of a neural network", 1568, shape, fill, compute, check};
