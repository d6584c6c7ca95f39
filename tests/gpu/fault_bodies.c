/* SPDX-License-Identifier: MIT */
/* fault_bodies.c - implements fault_bodies.h. All threads step together, so that a thread that runs ahead shows. */
#include "fault_bodies.h"

HEDDLE_BODY(faulty_step, faulty_params, params, faulty_args, t)
{
    uint64_t was = params->cell[t->at];
    heddle_team_barrier(thread);
    if (thread->index == thread->team_size - 1)
        params->cell[t->at] = was * 3 + t->what;
}

HEDDLE_BODY(faulty_code, faulty_params, params, faulty_args, t)
{
    if (t->what && thread->index == 0)
        heddle_task_fail(thread, t->what);
}

/* Ignores the stop word: as a body that hangs, but it gives up when the time is over. */
HEDDLE_BODY(faulty_nap, faulty_params, params, faulty_args, t)
{
    uint64_t until = hd_clock() + t->what * 1000000ull;
    while (hd_clock() < until)
        continue;
}

HEDDLE_BODY(faulty_crash, faulty_params, params, faulty_args, t)
{
#if defined(__CUDA_ARCH__)
    *(volatile uint32_t *)(uintptr_t)(t->what * 8u) = 1;
#endif
}

HEDDLE_TABLE(faulty, faulty_params, FAULTY_BODIES)
