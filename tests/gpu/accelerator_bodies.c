/* SPDX-License-Identifier: MIT */
/* accelerator_bodies.c - implements accelerator_bodies.h. */
#include "accelerator_bodies.h"

HEDDLE_LOOP(looped_scale, looped_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        const float before = i ? params->in[i - 1] : 0.0f, after = i + 1 < params->n ? params->in[i + 1] : 0.0f;
        params->out[i] = params->in[i] * params->by + (after - before);
    }
}

HEDDLE_LOOP(looped_cross, looped_params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s)
        params->out[i * params->n_2 + j] = params->in[i * params->n_2 + j] * params->by + (float)(i * 3u + j);
}

HEDDLE_LOOP(looped_turn, looped_params, params, s)
{
    float *shared = (float *)heddle_team_shared(thread);
    HEDDLE_SPAN (i, s)
        shared[i - s->begin] = params->in[i];
    heddle_team_barrier(thread);
    HEDDLE_SPAN (i, s)
        params->out[i] = shared[s->end - 1u - i];
}

HEDDLE_LOOP(looped_sums, looped_params, params, s)
{
    double sum;
    HEDDLE_EACH_PARTIAL (v) {
        sum = 0;
        for (uint64_t i = s->begin + (uint64_t)v; i < s->end; i += HEDDLE_N_PARTIALS)
            sum += (double)params->in[i];
        heddle_team_partial_f64(thread)[v] = sum;
    }
    sum = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    if (thread->index == 0) {
        params->sums[s->tile] = sum;
        params->blocks[s->tile] = thread->worker;
    }
}

HEDDLE_LOOP(looped_fails, looped_params, params, s)
{
    if (params->blocks && thread->index == 0)
        params->blocks[s->tile] = thread->worker + 1u;
    HEDDLE_SPAN (i, s) {
        if (i != params->fail_at)
            continue;
        if (params->whole)
            heddle_task_fail(thread, params->code);
        else
            heddle_span_fail(thread, i, params->code);
    }
}

HEDDLE_LOOP_TABLE(looped, looped_params, LOOPED_BODIES)
