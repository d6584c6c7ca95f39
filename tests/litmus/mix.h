/* SPDX-License-Identifier: MIT */
/* mix.h - the bodies of bodies.h, and their table. Included once by a program: by nvcc with their kernels. */
#ifndef LITMUS_MIX_H
#define LITMUS_MIX_H

#include "bodies.h"

HD_FN void run_task(const heddle_lane *lane, const litmus_app *app, const litmus_args *t, const uint32_t *in)
{
    if (lane->index == 0) {
        app->begin[t->self] = HD_ADD(app->clock, 1u, RELAXED, DEV);
        app->ran[t->self]++;
        if (t->self == app->failing)
            heddle_fail(lane, LITMUS_FAIL_CODE);
    }
    heddle_barrier(lane); /* all read after the stamp */
    HEDDLE_EACH (i, LITMUS_CELL)
        app->cells[t->out * LITMUS_CELL + i] = litmus_word(app->cells, app->salt, t, in, (uint32_t)i);
    heddle_barrier(lane); /* all have written before the stamp */
    if (lane->index == 0)
        app->end[t->self] = HD_ADD(app->clock, 1u, RELAXED, DEV);
}

HEDDLE_BODY(litmus_mix, litmus_app, app, litmus_args, t) { run_task(lane, app, t, t->in); }

HEDDLE_BODY(litmus_wide, litmus_app, app, litmus_wide_args, t)
{
    uint32_t *sum = (uint32_t *)heddle_shared(lane); /* uses its shared bytes: nobody else may be in them */
    litmus_args head;
    HEDDLE_EACH (i, 64)
        sum[i] = t->self;
    heddle_barrier(lane);
    head.self = sum[(lane->index + 1u) % 64u];
    head.out = t->out;
    head.inout = t->inout;
    head.n_in = t->n_in;
    run_task(lane, app, &head, t->in);
}

HEDDLE_APP(litmus, litmus_app, LITMUS_BODIES)

#endif
