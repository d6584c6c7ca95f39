/* SPDX-License-Identifier: MIT */
/* bodies.c - two bodies in the common part of C, C++ and CUDA: gcc makes them run on a CPU thread, nvcc on a thread
 * block. */
#include "bodies.h"

/* out = the average of three neighbours, the row's ends repeated. The lanes fetch the row together; what one lane
 * fetched another reads, so between the two stands a barrier. */
HEDDLE_BODY(smooth_average, smooth_app, app, smooth_row, t)
{
    double *row = (double *)heddle_shared(lane);
    const double *in = app->in + t->row * ROW;
    double *out = app->out + t->row * ROW;

    HEDDLE_EACH (i, ROW + 2)
        row[i] = in[i < 1 ? 0 : i > ROW ? ROW - 1 : i - 1];
    heddle_barrier(lane);
    HEDDLE_EACH (i, ROW)
        out[i] = (row[i] + row[i + 1] + row[i + 2]) / 3.0;
}

/* Virtual lanes, because a sum depends on its order: 1, 3 and 128 lanes add in one order and give the same bits. */
HEDDLE_BODY(smooth_sum, smooth_app, app, smooth_row, t)
{
    const double *out = app->out + t->row * ROW;
    double sum;

    HEDDLE_EACH_VLANE (v) {
        double part = 0.0;
        int i;
        for (i = v; i < ROW; i += HEDDLE_VLANES)
            part += out[i];
        heddle_partial_f64(lane)[v] = part;
    }
    sum = heddle_reduce_f64(lane, HEDDLE_SUM);
    if (lane->index == 0)
        app->sums[t->row] = sum;
}

HEDDLE_APP(smooth, smooth_app, SMOOTH_BODIES)
