/* SPDX-License-Identifier: MIT */
/* bodies.c - see bodies.h. */
#include "loop/bodies.h"

HEDDLE_LOOP(looped_price, looped_params, params, s)
{
    HEDDLE_SPAN (i, s)
        params->c[i] = params->a[i] * 0.25f + params->b[i] / (1.5f + params->a[i] * params->a[i]);
}

/* Two rows before, one behind; at the ends of the array there are fewer. */
HEDDLE_LOOP(looped_blur, looped_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        const float before = i >= 2 ? params->a[i - 2] : 1.0f, after = i + 1 < params->n ? params->a[i + 1] : 2.0f;
        params->c[i] = before + 3.0f * params->a[i] + after;
    }
}

HEDDLE_LOOP(looped_matrix, looped_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s)
        params->c[i * params->stride + j] =
            params->a[i * params->stride + j] + (float)(params->all[j] % 1000u) * (float)(i + 1);
}

HEDDLE_LOOP(looped_turn, looped_params, params, s)
{
    HEDDLE_SPAN (i, s)
        for (uint32_t k = 0; k < LOOPED_EACH; k++) {
            uint64_t *x = &params->turned[i * LOOPED_EACH + k];
            *x = *x * 6364136223846793005u + i + k;
        }
}

/* Two columns before, one behind. */
HEDDLE_LOOP(looped_columns, looped_params, params, s)
{
    HEDDLE_SPAN (i, s)
        for (uint32_t r = 0; r < LOOPED_TALL; r++) {
            const float *a = &params->a[r * params->stride];
            const float before = i >= 2 ? a[i - 2] : 1.0f, after = i + 1 < params->n ? a[i + 1] : 2.0f;
            params->c[r * params->stride + i] = before + 3.0f * a[i] + after + (float)(params->all[i] % 100u);
            for (uint32_t k = 0; k < LOOPED_EACH; k++) {
                uint64_t *x = &params->turned[(r * params->n + i) * LOOPED_EACH + k];
                *x = *x * 6364136223846793005u + i + k;
            }
        }
}

/* A row and a column before, one row and two columns behind; and the cell of a matrix that is turned. */
HEDDLE_LOOP(looped_both, looped_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        const uint64_t row = i + LOOPED_ROW, column = j + LOOPED_COLUMN;
        params->c[row * params->stride + column] = params->a[(row - 1) * params->stride + column - 1] +
                                                   params->a[(row + 1) * params->stride + column + 2] * 3.0f +
                                                   params->b[j * params->stride_b + i];
    }
}

/* Both pointers are to one array. */
HEDDLE_LOOP(looped_parts, looped_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        const uint64_t from = (params->n - 1 - i) * LOOPED_WIDE;
        float *c = &params->c[i * LOOPED_WIDE];
        c[1] = params->a[from] * 2.0f;
        c[2] = params->b[from + 1] + (float)(params->all[i * 7u % params->n] % 1000u);
        for (uint64_t t = looped_first(i); t < looped_first(i + 1); t++)
            params->turned[t] = params->turned[t] * 6364136223846793005u + i;
    }
}

HEDDLE_LOOP(looped_find, looped_params, params, s)
{
    uint32_t *bins = (uint32_t *)heddle_team_shared(thread);
    double sum;
    int64_t most;
    HEDDLE_EACH (k, LOOPED_BINS)
        bins[k] = 0;
    HEDDLE_EACH_PARTIAL (v) {
        double part = 0;
        for (uint64_t i = s->begin + (uint64_t)v; i < s->end; i += HEDDLE_N_PARTIALS)
            part += (double)params->a[i];
        heddle_team_partial_f64(thread)[v] = part;
    }
    sum = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    HEDDLE_EACH_PARTIAL (v) {
        int64_t part = INT64_MIN;
        for (uint64_t i = s->begin + (uint64_t)v; i < s->end; i += HEDDLE_N_PARTIALS)
            part = LOOPED_SIGNED(params->all[i]) > part ? LOOPED_SIGNED(params->all[i]) : part;
        heddle_team_partial_i64(thread)[v] = part;
    }
    most = heddle_team_reduce_i64(thread, HEDDLE_MAX);
    HEDDLE_SPAN (i, s)
        (void)HEDDLE_ATOMIC_ADD(&bins[params->all[i] % LOOPED_BINS], 1u, RELAXED, BLOCK);
    heddle_team_barrier(thread);
    HEDDLE_EACH (k, LOOPED_BINS)
        params->bins[s->tile * LOOPED_BINS + (uint64_t)k] = bins[k];
    HEDDLE_EACH (k, 1) {
        params->sum[s->tile] = sum;
        params->most[s->tile] = most;
        params->least[s->tile] = (float)(sum / 3.0);
    }
}

HEDDLE_LOOP(looped_fail, looped_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        params->c[i] = 1.0f;
        if (i == params->fail_at || i == params->fail_at_too)
            heddle_span_fail(thread, i, 7u);
    }
}

/* On a GPU it ends the context. */
HEDDLE_LOOP(looped_trap, looped_params, params, s)
{
    HEDDLE_SPAN (i, s) {
#if defined(__CUDA_ARCH__)
        if (i >= params->fail_at)
            __trap();
#endif
        params->c[i] = 1.0f;
    }
}

HEDDLE_LOOP_TABLE(looped, looped_params, LOOPED_LOOPS)
