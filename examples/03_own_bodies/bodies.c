/* SPDX-License-Identifier: MIT */
/* bodies.c - two bodies in the common part of C, C++ and CUDA: gcc makes them run on a CPU thread, nvcc on a thread
 * block. */
#include "bodies.h"

/* out = the average of three neighbours, the row's ends repeated. The threads fetch the row together and read one
 * another's elements, so a barrier is between the two. */
HEDDLE_BODY(smooth_average, smooth_params, params, smooth_row, t)
{
    double *row = (double *)heddle_team_shared(thread);
    const double *in = params->in + t->row * ROW;
    double *out = params->out + t->row * ROW;

    HEDDLE_EACH (i, ROW + 2)
        row[i] = in[i < 1 ? 0 : i > ROW ? ROW - 1 : i - 1];
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, ROW)
        out[i] = (row[i] + row[i + 1] + row[i + 2]) / 3.0;
}

/* Partials, because a sum depends on its order: 1, 3 and 128 threads add in one order and give the same bits. */
HEDDLE_BODY(smooth_sum, smooth_params, params, smooth_row, t)
{
    const double *out = params->out + t->row * ROW;
    double sum;

    HEDDLE_EACH_PARTIAL (v) {
        double part = 0.0;
        int i;
        for (i = v; i < ROW; i += HEDDLE_N_PARTIALS)
            part += out[i];
        heddle_team_partial_f64(thread)[v] = part;
    }
    sum = heddle_team_reduce_f64(thread, HEDDLE_SUM);
    if (thread->index == 0)
        params->sums[t->row] = sum;
}

HEDDLE_TABLE(smooth, smooth_params, SMOOTH_BODIES)
