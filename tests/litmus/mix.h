/* SPDX-License-Identifier: MIT */
/* mix.h - the bodies of bodies.h and their table. Only one file of a program includes it: nvcc adds their kernels. */
#ifndef LITMUS_MIX_H
#define LITMUS_MIX_H

#include "bodies.h"

HD_FN void run_task(const heddle_thread *thread, const litmus_params *params, const litmus_args *t, const uint32_t *in)
{
    if (thread->index == 0) {
        params->begin[t->self] = HD_ADD(params->clock, 1u, RELAXED, DEV);
        params->ran[t->self]++;
        if (t->self == params->failing)
            heddle_task_fail(thread, LITMUS_FAIL_CODE);
    }
    heddle_team_barrier(thread); /* all read after the stamp */
    HEDDLE_EACH (i, LITMUS_CELL)
        params->cells[t->out * LITMUS_CELL + i] = litmus_word(params->cells, params->salt, t, in, (uint32_t)i);
    heddle_team_barrier(thread); /* all have written before the stamp */
    if (thread->index == 0)
        params->end[t->self] = HD_ADD(params->clock, 1u, RELAXED, DEV);
}

HEDDLE_BODY(litmus_mix, litmus_params, params, litmus_args, t) { run_task(thread, params, t, t->in); }

HEDDLE_BODY(litmus_wide, litmus_params, params, litmus_wide_args, t)
{
    uint32_t *sum = (uint32_t *)heddle_team_shared(thread); /* shared bytes: no other task may be in them */
    litmus_args head;
    HEDDLE_EACH (i, 64)
        sum[i] = t->self;
    heddle_team_barrier(thread);
    head.self = sum[(thread->index + 1u) % 64u];
    head.out = t->out;
    head.inout = t->inout;
    head.n_in = t->n_in;
    run_task(thread, params, &head, t->in);
}

HEDDLE_TABLE(litmus, litmus_params, LITMUS_BODIES)

#endif
