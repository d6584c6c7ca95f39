/* SPDX-License-Identifier: MIT */
/* fault_bodies.c - see fault_bodies.h. All lanes step together, so that a lane that runs ahead of the others shows. */
#include "fault_bodies.h"

HEDDLE_BODY(faulty_step, faulty_app, app, faulty_args, t)
{
    uint64_t was = app->cell[t->at];
    heddle_barrier(lane);
    if (lane->index == lane->count - 1)
        app->cell[t->at] = was * 3 + t->what;
}

HEDDLE_BODY(faulty_code, faulty_app, app, faulty_args, t)
{
    if (t->what && lane->index == 0)
        heddle_fail(lane, t->what);
}

/* No way out before the time: what a body that hangs is like, but it gives up by itself. */
HEDDLE_BODY(faulty_nap, faulty_app, app, faulty_args, t)
{
    uint64_t until = hd_clock() + t->what * 1000000ull;
    while (hd_clock() < until)
        continue;
}

HEDDLE_BODY(faulty_crash, faulty_app, app, faulty_args, t)
{
#if defined(__CUDA_ARCH__)
    *(volatile uint32_t *)(uintptr_t)(t->what * 8u) = 1;
#endif
}

HEDDLE_APP(faulty, faulty_app, FAULTY_BODIES)
