/* SPDX-License-Identifier: MIT */
/* point.h - one task of Task Bench: it compares its inputs with the pattern, runs the kernel, and writes its output:
 * the pair (step, point) over and over, so that a wrong, late or torn input shows at the reader.
 *
 * Common C and C++; a team of any size runs it. A kernel of n iterations takes the same time on each thread of the
 * team, as the original's does on a core. */
#ifndef TASK_BENCH_POINT_H
#define TASK_BENCH_POINT_H

#include "pattern.h"

#define TB_KERNEL_MAP(X)                                                                                             \
    X(EMPTY, "empty", "nothing")                                                                                     \
    X(COMPUTE_BOUND, "compute_bound", "an iteration is 64 multiply-adds of doubles (on a GPU 8 of floats a thread)") \
    X(MEMORY_BOUND, "memory_bound", "an iteration copies 1/16 of the scratch memory, one half to the other")         \
    X(LOAD_IMBALANCE, "load_imbalance", "compute_bound, times a random factor of 1 - imbalance/2 to 1 + imbalance/2")

typedef enum tb_kernel_type {
#define TB_X(name, text, help) TB_##name,
    TB_KERNEL_MAP(TB_X)
#undef TB_X
        TB_N_KERNELS
} tb_kernel_type;

typedef struct tb_kernel {
    uint32_t type, iterations;
    uint32_t imbalance;     /* of 2^16: 2^16 = from half the iterations to one and a half */
    uint32_t scratch_bytes; /* of each column, for memory_bound; a multiple of 512        */
} tb_kernel;

#define TB_SAMPLES 16u

/* The content of outputs. */
typedef struct tb_pair {
    int64_t step, point;
} tb_pair;

typedef struct tb_params {
    tb_graph graph;
    tb_kernel kernel;
    uint32_t n_pairs; /* per output */
    uint32_t reserved;
    tb_pair *outputs;  /* width * fields outputs                                         */
    uint64_t *scratch; /* width times scratch_bytes */
    double *sink;      /* width words that keep the arithmetic from being removed */
} tb_params;

/* ---- kernels ---- */

/* The sum of the chains after n multiply-adds on each. They stay near 1, so that no number takes a slow path. */
HEDDLE_FN double tb_compute(uint32_t n)
{
#if defined(__CUDA_ARCH__)
    enum { N_CHAINS = 8 };
    float chain[N_CHAINS];
#else
    enum { N_CHAINS = 64 };
    double chain[N_CHAINS];
#endif
    uint32_t i;
    int k, half;
    for (k = 0; k < N_CHAINS; k++)
        chain[k] = 1 + k;
    for (i = 0; i < n; i++)
        for (k = 0; k < N_CHAINS; k++)
            chain[k] = chain[k] * 0.5f + 0.5f;
    for (half = N_CHAINS / 2; half > 0; half /= 2) /* 64 additions in a row would take as long as some iterations */
        for (k = 0; k < half; k++)
            chain[k] += chain[k + half];
    return chain[0];
}

/* Copies samples from the lower half of the scratch memory to the upper one; step and sample give the position. */
HEDDLE_FN void tb_copy(uint64_t *scratch, uint32_t n_bytes, uint32_t iterations, uint32_t step, uint32_t thread,
                       uint32_t n_threads)
{
    const uint32_t half = n_bytes / sizeof(uint64_t) / 2u, sample = half / TB_SAMPLES;
    uint32_t i, w;
    for (i = 0; i < iterations; i++) {
        const uint32_t at = (uint32_t)(((uint64_t)step * iterations + i) % TB_SAMPLES) * sample;
        for (w = thread; w < sample; w += n_threads)
            scratch[half + at + w] = scratch[at + w];
    }
}

HEDDLE_FN uint32_t tb_iterations(const tb_kernel *k, uint32_t step, uint32_t point)
{
    int64_t more;
    if (k->type != TB_LOAD_IMBALANCE)
        return k->iterations;
    more = ((int64_t)(tb_random(step, point, 1u) >> 16) - 32768) * k->imbalance / 65536; /* of 2^16 */
    return (uint32_t)(((int64_t)k->iterations * (65536 + more) + 32768) / 65536);
}

HEDDLE_FN void tb_run_kernel(const tb_params *p, uint32_t step, uint32_t point, uint32_t thread, uint32_t n_threads)
{
    const uint32_t n = tb_iterations(&p->kernel, step, point);
    if (p->kernel.type == TB_MEMORY_BOUND) {
        tb_copy(p->scratch + (uint64_t)point * (p->kernel.scratch_bytes / sizeof(uint64_t)), p->kernel.scratch_bytes, n,
                step, thread, n_threads);
    } else if (p->kernel.type != TB_EMPTY) {
        const double sum = tb_compute(n);
        if (sum < 0.0) /* never true, but the compiler does not know that */
            p->sink[point] = sum;
    }
}

/* ---- the task ---- */

/* Counts input pairs that differ from the expected ones. */
HEDDLE_FN uint32_t tb_check(const tb_params *p, uint32_t step, uint32_t point, uint32_t thread, uint32_t n_threads)
{
    const uint32_t n = tb_n_candidates(&p->graph);
    const tb_before before = tb_before_of(&p->graph, step);
    const tb_pair *row = p->outputs + (step ? (uint64_t)tb_cell(&p->graph, step - 1u, 0u) * p->n_pairs : 0u);
    uint32_t k, i, n_wrong = 0;
    for (k = thread; k < n; k += n_threads) {
        const uint32_t input = tb_input(&p->graph, &before, point, k);
        const tb_pair *pairs = row + (uint64_t)input * p->n_pairs;
        if (input == TB_NONE)
            continue;
        for (i = 0; i < p->n_pairs; i++)
            n_wrong += pairs[i].step != (int64_t)step - 1 || pairs[i].point != (int64_t)input;
    }
    return n_wrong;
}

HEDDLE_FN void tb_write(const tb_params *p, uint32_t step, uint32_t point, uint32_t thread, uint32_t n_threads)
{
    tb_pair *pairs = p->outputs + (uint64_t)tb_cell(&p->graph, step, point) * p->n_pairs;
    uint32_t i;
    for (i = thread; i < p->n_pairs; i += n_threads) {
        pairs[i].step = step;
        pairs[i].point = point;
    }
}

/* Returns how many wrong input pairs this thread saw. */
HEDDLE_FN uint32_t tb_execute(const tb_params *p, uint32_t step, uint32_t point, uint32_t thread, uint32_t n_threads)
{
    const uint32_t n_wrong = tb_check(p, step, point, thread, n_threads);
    tb_write(p, step, point, thread, n_threads);
    tb_run_kernel(p, step, point, thread, n_threads);
    return n_wrong;
}

#endif
