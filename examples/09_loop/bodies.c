/* SPDX-License-Identifier: MIT */
/* bodies.c - each value becomes the mean of itself and its neighbours; at the ends there is one neighbour less. */
#include "bodies.h"

HEDDLE_LOOP(smooth_signal, smooth_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        const float before = i ? params->in[i - 1] : params->in[i],
                    after = i + 1 < params->n ? params->in[i + 1] : params->in[i];
        params->out[i] = 0.25f * before + 0.5f * params->in[i] + 0.25f * after;
    }
    HEDDLE_EACH_PARTIAL (v) { /* a fixed number of sums, whatever the number of threads */
        double sum = 0;
        for (uint64_t i = s->begin + (uint64_t)v; i < s->end; i += HEDDLE_N_PARTIALS)
            sum += (double)params->in[i] * (double)params->in[i];
        heddle_team_partial_f64(thread)[v] = sum;
    }
    const double sum = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    HEDDLE_EACH (k, 1)
        params->energy[s->tile] = sum;
}

HEDDLE_LOOP_TABLE(smooth, smooth_params, SMOOTH_LOOPS)
