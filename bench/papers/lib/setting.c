/* SPDX-License-Identifier: MIT */
/* setting.c - implements setting.h. */
#include "setting.h"

heddle_config way_config(const way *w, heddle_backend backend, const heddle_config *asked)
{
    heddle_config c = *asked;
    c.backend = backend;
    c.schedule =
        backend == HEDDLE_CUDA || heddle_schedule_has_workers(w->schedule) ? w->schedule : HEDDLE_SCHEDULE_AUTO;
    c.expert.policy = w->policy;
    c.expert.by_body = backend == HEDDLE_CUDA ? w->by_body : 0;
    if (w->n_workers)
        c.n_workers = w->n_workers;
    return c;
}
