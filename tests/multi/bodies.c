/* SPDX-License-Identifier: MIT */
/* bodies.c - the bodies of bodies.h. */
#include "multi/bodies.h"

HD_FN const uint32_t *row_of(const uint32_t *at, uint64_t stride, uint64_t row)
{
    return (const uint32_t *)(const void *)((const uint8_t *)at + row * stride);
}

HEDDLE_LOOP(jobbed_spread, jobbed_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        const uint32_t *in = params->in + i * params->n_2;
        const uint32_t above = i ? in[j - params->n_2] : 7u, below = i + 1u < params->n ? in[j + params->n_2] : 11u;
        params->out[i * params->n_2 + j] = in[j] * 3u + above + below * 5u + params->seed;
    }
}

HEDDLE_LOOP(jobbed_turn, jobbed_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s)
        params->out[i * params->n_2 + j] = params->out[i * params->n_2 + j] * 2654435761u + params->seed;
}

HEDDLE_LOOP(jobbed_product, jobbed_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        uint32_t *out = (uint32_t *)(uintptr_t)row_of(params->out, params->out_stride, i);
        const uint32_t *a = row_of(params->in, params->in_stride, i);
        uint32_t sum = params->adds ? out[j] : params->seed;
        for (uint64_t k = params->k_begin; k < params->k_end; k++)
            sum += a[k] * row_of(params->in_2, params->in_2_stride, k)[j];
        out[j] = sum;
    }
}

HEDDLE_LOOP(jobbed_total, jobbed_params, params, s)
{
    int64_t sum = 0;
    if (thread->index)
        return;
    for (uint64_t i = s->begin; i < s->end; i++)
        for (uint64_t j = 0; j < params->n_2; j++)
            sum += (int64_t)params->in[i * params->n_2 + j];
    params->sum[s->tile] = sum;
}

HEDDLE_LOOP(jobbed_fail, jobbed_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        params->out[i * params->n_2 + j] = params->in[i * params->n_2 + j];
        if (i == params->fail_at && j == 0)
            heddle_span_fail(thread, i, 9);
    }
}

HEDDLE_LOOP(jobbed_tally, jobbed_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        const uint32_t count = ++params->out[i * params->n_2 + j];
        if (i == params->fail_at && j == 0 && count == params->seed)
            heddle_span_fail(thread, i, 9);
    }
}

HEDDLE_LOOP_TABLE(jobbed, jobbed_params, JOBBED_LOOPS)
